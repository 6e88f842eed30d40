import type { RbacV1Subject, V1ClusterRole, V1ObjectMeta, V1PolicyRule, V1RoleRef } from '../../../api/generated/types.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import { uncoveredRules } from '../../authz/rule-cover.js';
import { AUTOUPDATE } from './objects.js';

interface RoleLike {
  readonly metadata?: V1ObjectMeta;
  readonly rules?: readonly V1PolicyRule[];
  readonly aggregationRule?: V1ClusterRole['aggregationRule'];
}

interface BindingLike {
  readonly metadata?: V1ObjectMeta;
  readonly roleRef: V1RoleRef;
  readonly subjects?: readonly RbacV1Subject[];
}

/** What has to be done so that a stored object holds what the default says. */
export type Repair<T> = { readonly type: 'none' } | { readonly type: 'update'; readonly object: T } | { readonly type: 'recreate'; readonly object: T };

const NOTHING = { type: 'none' } as const;

/** Labels and annotations that are missing are added; values that were changed stay. Undefined: nothing is missing. */
function mergedMetadata(stored: V1ObjectMeta | undefined, wanted: V1ObjectMeta | undefined): V1ObjectMeta | undefined {
  const labels = { ...wanted?.labels, ...stored?.labels };
  const annotations = { ...wanted?.annotations, ...stored?.annotations };
  const same =
    Object.keys(labels).length === Object.keys(stored?.labels ?? {}).length &&
    Object.keys(annotations).length === Object.keys(stored?.annotations ?? {}).length;
  return same ? undefined : { ...stored, labels, annotations };
}

const isProtected = (stored: { readonly metadata?: V1ObjectMeta }): boolean => stored.metadata?.annotations?.[AUTOUPDATE] !== 'true';

/** Missing permissions are added to a role, others are kept. Roles whose annotation was taken away are left alone. */
export function repairRole<T extends RoleLike>(stored: T, wanted: T): Repair<T> {
  if (isProtected(stored)) return NOTHING;
  const metadata = mergedMetadata(stored.metadata, wanted.metadata);
  const selectors = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const missingSelectors = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => JSON.stringify(other) === JSON.stringify(selector)),
  );
  // Rules of an aggregating role are gathered from others.
  const missingRules = wanted.aggregationRule || deepEqual(stored.rules, wanted.rules) ? [] : (wanted.rules ?? []).filter((rule) => uncoveredRules(stored.rules ?? [], [rule]).length > 0);
  if (!metadata && missingSelectors.length === 0 && missingRules.length === 0) return NOTHING;
  return {
    type: 'update',
    object: {
      ...stored,
      ...(metadata ? { metadata } : {}),
      ...(missingRules.length > 0 ? { rules: [...(stored.rules ?? []), ...missingRules] } : {}),
      ...(missingSelectors.length > 0 ? { aggregationRule: { clusterRoleSelectors: [...selectors, ...missingSelectors] } } : {}),
    },
  };
}

/** Missing subjects are added to a binding, others are kept; one that points to another role is made anew. */
export function repairBinding<T extends BindingLike>(stored: T, wanted: T): Repair<T> {
  if (isProtected(stored)) return NOTHING;
  const { apiGroup, kind, name } = stored.roleRef;
  if (apiGroup !== wanted.roleRef.apiGroup || kind !== wanted.roleRef.kind || name !== wanted.roleRef.name) {
    return { type: 'recreate', object: { ...wanted, subjects: mergeSubjects(stored, wanted) } };
  }
  const metadata = mergedMetadata(stored.metadata, wanted.metadata);
  const subjects = mergeSubjects(stored, wanted);
  if (!metadata && subjects.length === (stored.subjects ?? []).length) return NOTHING;
  return { type: 'update', object: { ...stored, ...(metadata ? { metadata } : {}), subjects } };
}

function mergeSubjects(stored: BindingLike, wanted: BindingLike): RbacV1Subject[] {
  const key = (subject: RbacV1Subject): string => `${subject.kind}/${subject.namespace ?? ''}/${subject.name}`;
  const present = new Set((stored.subjects ?? []).map(key));
  return [...(stored.subjects ?? []), ...(wanted.subjects ?? []).filter((subject) => !present.has(key(subject)))];
}
