import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import { podQosClass } from '../../api/helpers/pod-qos.js';
import { quantityValue } from '../../api/quantity.js';

/** Scores as Kubernetes documents them ("Node OOM behavior"). */
const GUARANTEED_SCORE = -997;
const BEST_EFFORT_SCORE = 1000;
/** From here on (`system-cluster-critical` is 2000000000) a pod is as safe as a guaranteed one. */
const NODE_CRITICAL_PRIORITY = 2_000_001_000;

/** The control group of a pod below the runtime's own. */
export function podCgroup(pod: V1Pod): string {
  const uid = pod.metadata?.uid ?? '';
  const qos = podQosClass(pod);
  return qos === 'Guaranteed' ? `/pod${uid}` : `/${qos.toLowerCase()}/pod${uid}`;
}

/** How willingly the kernel kills a container when memory runs out. */
export function oomScoreAdj(pod: V1Pod, container: V1Container, memoryBytes: number): number {
  if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL_PRIORITY) return GUARANTEED_SCORE;
  const qos = podQosClass(pod);
  if (qos === 'Guaranteed') return GUARANTEED_SCORE;
  if (qos === 'BestEffort') return BEST_EFFORT_SCORE;
  const score = burstableScore(requestedMemory(container), memoryBytes);
  if (!isSidecar(container)) return score;
  // A sidecar must not go before the containers that it serves.
  const lowest = Math.min(...pod.spec!.containers.map((other) => burstableScore(requestedMemory(other), memoryBytes)));
  return Math.min(score, lowest);
}

function burstableScore(requested: number, memoryBytes: number): number {
  const score = 1000 - Math.floor((1000 * requested) / memoryBytes);
  // Below every guaranteed container, above every best-effort one.
  if (score < 1000 + GUARANTEED_SCORE) return 1000 + GUARANTEED_SCORE;
  return score === BEST_EFFORT_SCORE ? score - 1 : score;
}

function requestedMemory(container: V1Container): number {
  const text = container.resources?.requests?.['memory'];
  return text === undefined ? 0 : quantityValue(text);
}
