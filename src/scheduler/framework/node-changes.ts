import type { V1Node } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { Action, clusterEvent, type ClusterEvent } from './cluster-event.js';

const NODE_TAINT = clusterEvent('Node', Action.UpdateNodeTaint);
const NODE_ALLOCATABLE = clusterEvent('Node', Action.UpdateNodeAllocatable);
const NODE_LABEL = clusterEvent('Node', Action.UpdateNodeLabel);
const NODE_CONDITION = clusterEvent('Node', Action.UpdateNodeCondition);
const NODE_ANNOTATION = clusterEvent('Node', Action.UpdateNodeAnnotation);
const NODE_FEATURE = clusterEvent('Node', Action.UpdateNodeDeclaredFeature);

export const NODE_ADD = clusterEvent('Node', Action.Add);
export const NODE_DELETE = clusterEvent('Node', Action.Delete);

/** The changes between two states of a node that scheduling cares about; none for a mere heartbeat. */
export function nodeChanges(previous: V1Node, node: V1Node): readonly ClusterEvent[] {
  const found: ClusterEvent[] = [];
  if (previous.spec?.unschedulable && !node.spec?.unschedulable) found.push(NODE_TAINT);
  if (!deepEqual(previous.status?.allocatable ?? {}, node.status?.allocatable ?? {})) found.push(NODE_ALLOCATABLE);
  if (!deepEqual(previous.metadata?.labels ?? {}, node.metadata?.labels ?? {})) found.push(NODE_LABEL);
  if (!deepEqual(previous.spec?.taints ?? [], node.spec?.taints ?? [])) found.push(NODE_TAINT);
  if (!deepEqual(conditionStatuses(previous), conditionStatuses(node))) found.push(NODE_CONDITION);
  if (!deepEqual(previous.metadata?.annotations ?? {}, node.metadata?.annotations ?? {})) found.push(NODE_ANNOTATION);
  if (!deepEqual(previous.status?.declaredFeatures ?? [], node.status?.declaredFeatures ?? [])) found.push(NODE_FEATURE);
  return found;
}

function conditionStatuses(node: V1Node): Record<string, string> {
  return Object.fromEntries((node.status?.conditions ?? []).map((one) => [one.type, one.status]));
}
