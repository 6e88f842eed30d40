import type { V1Pod } from '../../api/generated/types.js';
import { isPodReady } from '../../api/helpers/pod-state.js';
import { PODS } from '../../api/resource-refs.js';
import type { FakeApi } from './fake-api.js';
import type { ControllerHarness } from './test-context.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** Makes pods that are not ready run and be ready, as a node agent would; returns how many. */
export function makeReady(api: FakeApi, which: (pod: V1Pod) => boolean = () => true): number {
  let count = 0;
  for (const pod of api.all(PODS)) {
    if (isPodReady(pod) || pod.metadata?.deletionTimestamp || !which(pod)) continue;
    api.edit(PODS, pod.metadata?.namespace ?? '', pod.metadata?.name ?? '', () => ({
      spec: { nodeName: pod.spec?.nodeName ?? 'node' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(api.clock.now()) }] },
    }));
    count += 1;
  }
  return count;
}

/** Lets controllers and pods go on until nothing changes any more; `observe` is called after each step. */
export async function runToEnd(harness: ControllerHarness, observe: () => void = () => undefined, which?: (pod: V1Pod) => boolean): Promise<void> {
  for (let step = 0; step < 100; step++) {
    await harness.settle(100);
    observe();
    const waiting = harness.api.all(PODS).filter((pod) => !isPodReady(pod) && (which?.(pod) ?? true)).map((pod) => pod.metadata?.name);
    // One at a time: rollouts are watched step by step.
    if (waiting.length === 0 || makeReady(harness.api, (pod) => pod.metadata?.name === waiting[0]) === 0) return;
  }
  throw new Error('the controllers do not come to rest');
}
