import type { V1Node } from '../../api/generated/types.js';

const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** Of the cluster autoscaler. */
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler';

/** Whether load balancers lead to a node. As upstream, a node that is not ready stays: it may come back sooner than a load balancer changes. */
export function isBalancedNode({ metadata, spec }: V1Node): boolean {
  const exclude = metadata?.labels?.[EXCLUDE];
  if (exclude !== undefined && !['0', 'f', 'F', 'false', 'False', 'FALSE'].includes(exclude)) return false;
  return !metadata?.deletionTimestamp && !(spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED);
}

/** What of a node matters for load balancers, as one text. */
export function balancedNodeText(node: V1Node): string {
  return JSON.stringify([isBalancedNode(node), node.spec?.providerID, node.status?.addresses]);
}
