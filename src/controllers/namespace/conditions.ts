import type { V1NamespaceCondition } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { timestamp } from '../../api/meta/timestamp.js';
import type { ContentReport } from './content.js';

interface Verdict {
  readonly reason: string;
  readonly message: string;
}

/** All types, in the order in which they are written, with what they say when all is well. */
const TYPES: readonly (Verdict & { readonly type: string })[] = [
  { type: 'NamespaceDeletionDiscoveryFailure', reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
  { type: 'NamespaceDeletionGroupVersionParsingFailure', reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
  { type: 'NamespaceDeletionContentFailure', reason: 'ContentDeleted', message: 'All content successfully deleted, may be waiting on finalization' },
  { type: 'NamespaceContentRemaining', reason: 'ContentRemoved', message: 'All content successfully removed' },
  { type: 'NamespaceFinalizersRemaining', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
];

/** The conditions of a namespace that is being deleted; the given list itself when nothing changed. */
export function deletionConditions(present: readonly V1NamespaceCondition[] | undefined, report: ContentReport, now: number): readonly V1NamespaceCondition[] {
  let changed = false;
  const next = [...(present ?? [])];
  for (const { type, reason, message } of TYPES) {
    const failure = failureOf(type, report);
    const verdict = failure ?? { reason, message };
    const status = failure ? 'True' : 'False';
    const old = findCondition(next, type);
    if (old && old.status === status && old.reason === verdict.reason && old.message === verdict.message) continue;
    changed = true;
    const condition: V1NamespaceCondition = { type, status, lastTransitionTime: old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : timestamp(now), ...verdict };
    if (old) next[next.indexOf(old)] = condition;
    else next.push(condition);
  }
  return changed ? next : (present ?? []);
}

function failureOf(type: string, report: ContentReport): Verdict | undefined {
  switch (type) {
    case 'NamespaceDeletionDiscoveryFailure':
      return report.discoveryFailure === undefined ? undefined : { reason: 'DiscoveryFailed', message: report.discoveryFailure };
    case 'NamespaceDeletionContentFailure':
      return report.errors.length === 0
        ? undefined
        : { reason: 'ContentDeletionFailed', message: `Failed to delete all resource types, ${report.errors.length} remaining: ${[...report.errors].sort().join(', ')}` };
    case 'NamespaceContentRemaining':
      // While pods are waited for, nothing else was looked at, so nothing is said about the rest.
      return report.remaining.size === 0 || report.waitsForPods
        ? undefined
        : { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list(report.remaining, (name, count) => `${name} has ${count} resource instances`)}` };
    case 'NamespaceFinalizersRemaining':
      return report.finalizers.size === 0 || report.waitsForPods
        ? undefined
        : { reason: 'SomeFinalizersRemain', message: `Some content in the namespace has finalizers remaining: ${list(report.finalizers, (name, count) => `${name} in ${count} resource instances`)}` };
    default:
      return undefined;
  }
}

function list(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  return [...counts].map(([name, count]) => text(name, count)).sort().join(', ');
}
