import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { parseTerms, termMatches, type AffinityTerm } from '../cache/affinity-term.js';
import { Action } from '../framework/cluster-event.js';
import { memoByObject } from '../framework/memo.js';
import type { EventInterest } from '../framework/plugin.js';

type TermsOf = (pod: V1Pod) => readonly AffinityTerm[];

/** The events that may cure a rejection for inter-pod affinity. */
export function interPodAffinityInterests(): readonly EventInterest[] {
  const affinityOf = memoByObject((pod: V1Pod) => parseTerms(pod, pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution));
  const antiAffinityOf = memoByObject((pod: V1Pod) => parseTerms(pod, pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution));
  return [
    { resource: 'Pod', actions: Action.Add | Action.UpdatePodLabel | Action.Delete, hint: (pod, before, after) => podHint(pod, before, after, affinityOf, antiAffinityOf) },
    { resource: 'Node', actions: Action.Add | Action.UpdateNodeLabel, hint: (pod, before, after) => nodeHint(before, after, affinityOf(pod), antiAffinityOf(pod)) },
  ];
}

function matchesAll(terms: readonly AffinityTerm[], { metadata }: V1Pod): boolean {
  const target = { namespace: metadata?.namespace ?? '', labels: metadata?.labels };
  return terms.length > 0 && terms.every((term) => termMatches(term, target, undefined));
}

const placed = (pod: V1Pod): boolean => Boolean(pod.spec?.nodeName) || Boolean(pod.status?.nominatedNodeName);

function podHint(pod: V1Pod, before: V1Pod | undefined, after: V1Pod | undefined, affinityOf: TermsOf, antiAffinityOf: TermsOf): boolean {
  if (before && after && after.metadata?.uid === pod.metadata?.uid) return true;
  if ((after && !placed(after)) || (before && !placed(before))) return false;
  if (before && after) {
    const terms = affinityOf(pod);
    if (!matchesAll(terms, before) && matchesAll(terms, after)) return true;
    const antiTerms = antiAffinityOf(pod);
    return matchesAll(antiTerms, before) && !matchesAll(antiTerms, after);
  }
  if (after) return matchesAll(affinityOf(pod), after);
  return before !== undefined && (matchesAll(antiAffinityOf(pod), before) || matchesAll(antiAffinityOf(before), pod));
}

function nodeHint(before: V1Node | undefined, after: V1Node | undefined, affinity: readonly AffinityTerm[], antiAffinity: readonly AffinityTerm[]): boolean {
  const was = before?.metadata?.labels ?? {};
  const is = after?.metadata?.labels ?? {};
  for (const { topologyKey } of affinity) if (is[topologyKey] !== undefined && is[topologyKey] !== was[topologyKey]) return true;
  for (const { topologyKey } of antiAffinity) {
    if (!before || (was[topologyKey] !== undefined && is[topologyKey] !== was[topologyKey])) return true;
  }
  return false;
}
