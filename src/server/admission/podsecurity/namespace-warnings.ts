import type { V1Pod, V1PodSpec } from '../../../api/generated/types.js';
import { controllerOf } from '../../../api/helpers/owner-references.js';
import { isEquivalent, levelText, type LevelVersion, type Policy } from './level.js';
import { LABEL_PREFIX, violations } from './policy.js';

const MAX_PODS = 3000;
const MODES = ['enforce', 'audit', 'warn'] as const;

/** What the pods that are in a namespace already would violate of a new level: one line for each kind of violation. */
export function existingPodWarnings(namespace: string, enforce: LevelVersion, all: readonly V1Pod[], isExempt: (spec: V1PodSpec) => boolean): string[] {
  const pods = prioritized(all.filter(({ spec }) => !spec || !isExempt(spec)));
  const checked = pods.slice(0, MAX_PODS);
  const groups = new Map<string, string[]>();
  for (const { spec, metadata } of checked) {
    const found = violations(enforce, spec ?? { containers: [] }, metadata);
    if (found.length === 0) continue;
    const reason = found.map((violation) => violation.reason).join(', ');
    groups.set(reason, [...(groups.get(reason) ?? []), metadata?.name ?? '']);
  }
  const lines = [...groups].map(([reason, names]) => {
    const others = names.length - 1;
    const suffix = others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
    return `${names.sort()[0]!}${suffix}: ${reason}`;
  });
  return [
    ...(checked.length < pods.length ? [`new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`] : []),
    ...(lines.length > 0 ? [`existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(enforce))}`] : []),
    ...lines.sort(),
  ];
}

/** Says that the labels of an exempt namespace have no effect; undefined when they ask for nothing of their own. */
export function exemptWarning(namespace: string, policy: Policy, defaults: Policy, labels: Readonly<Record<string, string>> | undefined): string | undefined {
  if (MODES.every((mode) => policy[mode].level === 'privileged') || MODES.every((mode) => isEquivalent(policy[mode], defaults[mode]))) return undefined;
  const isLabelled = (mode: string): boolean => labels?.[LABEL_PREFIX + mode] !== undefined || labels?.[`${LABEL_PREFIX}${mode}-version`] !== undefined;
  const ignored = MODES.filter((mode) => policy[mode].level !== 'privileged' && isLabelled(mode)).map((mode) => `${mode}=${levelText(policy[mode])}`);
  return `namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${ignored.join(', ')}) will be ignored`;
}

/** One pod of each controller first: the others are most likely the same. */
function prioritized(pods: readonly V1Pod[]): V1Pod[] {
  const seen = new Set<string>();
  const first: V1Pod[] = [];
  const rest: V1Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod)?.uid;
    (owner !== undefined && seen.has(owner) ? rest : first).push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...rest];
}
