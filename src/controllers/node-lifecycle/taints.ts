import type { V1Node, V1Taint } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Condition and status -> key of the NoSchedule taint (upstream's TaintNodesByCondition). */
const BY_CONDITION: readonly (readonly [condition: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const MANAGED = new Set([...BY_CONDITION.map(([, , key]) => key), UNSCHEDULABLE]);

/** The NoSchedule taints that follow from a node's conditions and `spec.unschedulable`. */
export function wantedTaints(node: V1Node): readonly string[] {
  const conditions = node.status?.conditions;
  const keys = BY_CONDITION.filter(([condition, status]) => findCondition(conditions, condition)?.status === status).map(([, , key]) => key);
  return node.spec?.unschedulable ? [...keys, UNSCHEDULABLE] : keys;
}

/** The key of the NoExecute taint that a node's readiness asks for; undefined when it is ready. */
export function wantedEviction(node: V1Node): string | undefined {
  switch (findCondition(node.status?.conditions, 'Ready')?.status) {
    case 'False':
      return NOT_READY;
    case 'Unknown':
      return UNREACHABLE;
    default:
      return undefined;
  }
}

const isManaged = (taint: V1Taint): boolean => taint.effect === 'NoSchedule' && MANAGED.has(taint.key);
const isEviction = (taint: V1Taint): boolean => taint.effect === 'NoExecute' && (taint.key === NOT_READY || taint.key === UNREACHABLE);

/** The taints with those of effect NoSchedule that are ours set to `keys`; the list itself when nothing changes. */
export function withScheduleTaints(taints: readonly V1Taint[], keys: readonly string[], timeAdded: string): readonly V1Taint[] {
  const present = taints.filter(isManaged).map((taint) => taint.key);
  if (present.length === keys.length && keys.every((key) => present.includes(key))) return taints;
  const kept = taints.filter((taint) => !isManaged(taint) || keys.includes(taint.key));
  const added = keys.filter((key) => !present.includes(key)).map((key) => ({ key, effect: 'NoSchedule', timeAdded }));
  return [...kept, ...added];
}

/** The taints with the NoExecute taint of readiness set to `key` (undefined: none); the list itself when nothing changes. */
export function withEvictionTaint(taints: readonly V1Taint[], key: string | undefined, timeAdded: string): readonly V1Taint[] {
  const present = taints.filter(isEviction);
  if (present.length === (key ? 1 : 0) && present.every((taint) => taint.key === key)) return taints;
  const kept = taints.filter((taint) => !isEviction(taint) || taint.key === key);
  return key && !present.some((taint) => taint.key === key) ? [...kept, { key, effect: 'NoExecute', timeAdded }] : kept;
}
