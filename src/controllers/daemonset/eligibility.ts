import type { V1DaemonSet, V1Node } from '../../api/generated/types.js';
import { podMatchesNode } from '../../api/helpers/node-selection.js';
import { untoleratedTaint } from '../../api/helpers/tolerations.js';
import { daemonTolerations } from './daemon-pod.js';

/** What a set wants of a node. */
export interface Eligibility {
  /** A pod belongs there. */
  readonly shouldRun: boolean;
  /** A pod that is there already may stay. */
  readonly mayStay: boolean;
}

const NEITHER: Eligibility = { shouldRun: false, mayStay: false };
const BOTH: Eligibility = { shouldRun: true, mayStay: true };

/** Judges nodes for one set: by name, selector and required affinity, and by taints. */
export function eligibilityOf(set: V1DaemonSet): (node: V1Node) => Eligibility {
  const spec = set.spec?.template.spec;
  if (!spec) return () => NEITHER;
  const tolerations = daemonTolerations(spec);
  return (node) => {
    if (spec.nodeName && spec.nodeName !== node.metadata?.name) return NEITHER;
    if (!podMatchesNode(spec, node)) return NEITHER;
    const taints = node.spec?.taints;
    if (!taints || taints.length === 0 || !untoleratedTaint(taints, tolerations, ['NoExecute', 'NoSchedule'])) return BOTH;
    return { shouldRun: false, mayStay: untoleratedTaint(taints, tolerations, ['NoExecute']) === undefined };
  };
}
