import type { V1Pod, V1Service } from '../../api/generated/types.js';
import type { Informer } from '../../client/index.js';
import type { WorkQueue } from '../../reconcile/index.js';
import { keyOf } from '../shared/object-key.js';

/** Whether every pair of a service's selector is among a pod's labels. An empty selector selects nothing here. */
export function selects(service: V1Service, labels: Readonly<Record<string, string>> | undefined): boolean {
  const selector = service.spec?.selector;
  if (!selector || labels === undefined) return false;
  const pairs = Object.entries(selector);
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
}

/** The pods of a service's namespace that it selects. */
export function podsOf(service: V1Service, pods: Informer<V1Pod>): V1Pod[] {
  return pods.list(service.metadata?.namespace ?? '').filter((pod) => selects(service, pod.metadata?.labels));
}

/** What of a pod shows in endpoints; a change of anything else is none of ours. */
function relevant(pod: V1Pod): string {
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready')?.status;
  return JSON.stringify([pod.status?.podIPs, pod.status?.podIP, pod.status?.phase, ready, pod.spec?.nodeName, pod.metadata?.labels, pod.metadata?.deletionTimestamp]);
}

/** Adds the services of a pod's namespace that select it, before or after a change, to the queue. */
export function enqueueServicesOfPods(pods: Informer<V1Pod>, services: Informer<V1Service>, queue: WorkQueue): () => void {
  const enqueue = (...states: readonly V1Pod[]): void => {
    for (const service of services.list(states[0]?.metadata?.namespace ?? '')) {
      if (states.some((pod) => selects(service, pod.metadata?.labels))) queue.add(keyOf(service));
    }
  };
  return pods.addHandler({
    add: (pod) => enqueue(pod),
    update: (pod, previous) => {
      if (relevant(pod) !== relevant(previous)) enqueue(pod, previous);
    },
    delete: (pod) => enqueue(pod),
  });
}
