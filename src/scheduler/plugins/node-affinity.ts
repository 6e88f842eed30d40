import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { Action } from '../framework/cluster-event.js';
import { nodeMatcher, preferredNodeAffinity, requiredNodeAffinity, requiredNodeNames } from '../framework/node-selector.js';
import { normalizeByMaximum, type FilterPlugin, type ScorePlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import type { NodeAffinityArgs } from '../options.js';

const NAME = 'NodeAffinity';
const NO_MATCH = unresolvable(NAME, "node(s) didn't match Pod's node affinity/selector");
const NOT_ENFORCED = unresolvable(NAME, "node(s) didn't match scheduler-enforced node affinity");
const CONFLICT = unresolvable(NAME, 'pod affinity terms conflict');

/** Honours `spec.nodeSelector`, node affinity and the affinity that the configuration adds to every pod. */
export function nodeAffinityPlugin({ addedAffinity }: NodeAffinityArgs): FilterPlugin & ScorePlugin {
  const enforced = nodeMatcher(addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
  const addedPreference = preferredNodeAffinity(addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  return {
    name: NAME,
    interests: [
      {
        resource: 'Node',
        actions: Action.Add | Action.UpdateNodeLabel,
        hint: (pod, before, after) => nodeHint(pod, before, after, enforced),
      },
    ],
    prepareFilter: ({ pod }) => {
      const matches = requiredNodeAffinity(pod);
      if (!matches && !enforced) return undefined;
      const nodeNames = requiredNodeNames(pod);
      if (nodeNames?.size === 0) return CONFLICT;
      return {
        ...(nodeNames ? { nodeNames } : {}),
        filter: (node) => {
          if (enforced && !enforced(node.node)) return NOT_ENFORCED;
          return matches && !matches(node.node) ? NO_MATCH : undefined;
        },
      };
    },
    prepareScore: ({ pod }) => {
      const preference = preferredNodeAffinity(pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
      if (!preference && !addedPreference) return undefined;
      return {
        score: ({ node }) => (addedPreference?.(node) ?? 0) + (preference?.(node) ?? 0),
        normalize: (scores) => normalizeByMaximum(scores, false),
      };
    },
  };
}

function nodeHint(pod: V1Pod, before: V1Node | undefined, after: V1Node | undefined, enforced: ((node: V1Node) => boolean) | undefined): boolean {
  if (!after || (enforced && !enforced(after))) return false;
  const matches = requiredNodeAffinity(pod);
  if (matches && !matches(after)) return false;
  return before === undefined || (matches !== undefined && !matches(before));
}
