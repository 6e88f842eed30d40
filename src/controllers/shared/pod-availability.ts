import type { V1Pod } from '../../api/generated/types.js';
import { podCondition } from '../../api/helpers/pod-state.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

/** Milliseconds until the first of the ready pods that are not yet available becomes so; undefined when there is none. */
export function nextAvailability(pods: readonly V1Pod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  let next: number | undefined;
  for (const pod of pods) {
    const ready = podCondition(pod, 'Ready');
    const since = ready?.status === 'True' ? parseTimestamp(ready.lastTransitionTime) : undefined;
    if (since === undefined) continue;
    const left = since + minReadySeconds * 1000 - now;
    if (left > 0 && (next === undefined || left < next)) next = left;
  }
  return next;
}
