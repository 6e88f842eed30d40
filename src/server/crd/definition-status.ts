import type { V1CustomResourceDefinition, V1CustomResourceDefinitionCondition, V1CustomResourceDefinitionNames } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { findCondition, isConditionTrue } from '../../api/helpers/conditions.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';
import type { TakenNames } from './group-names.js';

type Definition = V1CustomResourceDefinition;
type Condition = V1CustomResourceDefinitionCondition;

/** A condition before it has a time. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** What is to be written into a definition's status about its names. */
export interface NameStatus {
  readonly acceptedNames: V1CustomResourceDefinitionNames;
  readonly conditions: readonly NewCondition[];
}

/** Which of the names of a definition it gets, beside those that are taken in its group; undefined: it has them already, or nothing would change. */
export function nameStatus(definition: Definition, taken: TakenNames): NameStatus | undefined {
  const wanted = definition.spec.names;
  const had = definition.status?.acceptedNames ?? { plural: '', kind: '' };
  if (sameNames(wanted, had) && findCondition(definition.status?.conditions, 'NamesAccepted')) return undefined;
  const accepted: Record<string, unknown> = { ...had };
  let conflict: NewCondition | undefined;
  const refuse = (reason: string, message: string): void => {
    conflict = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const claim = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: TakenNames['kinds']): void => {
    const name = wanted[field] ?? '';
    if (name === (had[field] ?? '') || !used.has(name)) accepted[field] = name;
    else refuse(`${field.charAt(0).toUpperCase()}${field.slice(1)}Conflict`, inUse([name]));
  };
  claim('plural', taken.resources);
  claim('singular', taken.resources);
  const shortNames = wanted.shortNames ?? [];
  const lost = shortNames.filter((name) => !(had.shortNames ?? []).includes(name) && taken.resources.has(name));
  if (lost.length > 0) refuse('ShortNamesConflict', inUse(lost));
  else accepted['shortNames'] = shortNames;
  claim('kind', taken.kinds);
  claim('listKind', taken.kinds);
  accepted['categories'] = wanted.categories ?? [];
  for (const field of ['shortNames', 'categories']) if (((accepted[field] as unknown[] | undefined)?.length ?? 0) === 0) delete accepted[field];
  const names: NewCondition = conflict ?? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const known = findCondition(definition.status?.conditions, 'NamesAccepted');
  const acceptedNames = accepted as unknown as V1CustomResourceDefinitionNames;
  if (sameNames(acceptedNames, had) && known?.status === names.status && known.reason === names.reason && known.message === names.message) return undefined;
  return { acceptedNames, conditions: [names, ...establishedCondition(definition, names)] };
}

function establishedCondition(definition: Definition, names: NewCondition): NewCondition[] {
  if (isConditionTrue(definition.status?.conditions, 'Established')) return [];
  if (names.status === 'True') return [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }];
  return findCondition(definition.status?.conditions, 'Established') ? [] : [{ type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }];
}

/** Whether the community's approval of a group is there; undefined for other groups. */
export function approvalCondition({ metadata, spec }: Definition): NewCondition | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const annotation = metadata?.annotations?.['api-approved.kubernetes.io'] ?? '';
  const need = 'protected groups must have approval annotation "api-approved.kubernetes.io"';
  const reference = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (annotation === '') return { type, status: 'False', reason: 'MissingAnnotation', message: `${need}, ${reference}` };
  if (annotation.startsWith('unapproved')) return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(annotation)}` };
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.test(annotation)) return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  return { type, status: 'False', reason: 'InvalidAnnotation', message: `${need} with either a URL or a reason starting with "unapproved", ${reference}` };
}

/** The conditions with some in place of those of their types; the time of a status that stays is kept. */
export function withConditions(conditions: readonly Condition[] | undefined, changes: readonly NewCondition[], now: string): Condition[] {
  const result = [...(conditions ?? [])];
  for (const change of changes) {
    const at = result.findIndex(({ type }) => type === change.type);
    const time = at >= 0 && result[at]!.status === change.status ? (result[at]!.lastTransitionTime ?? now) : now;
    const condition = { ...change, lastTransitionTime: time } as unknown as Condition;
    if (at < 0) result.push(condition);
    else result[at] = condition;
  }
  return result;
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return aggregateText(texts);
}

function sameNames(a: V1CustomResourceDefinitionNames, b: V1CustomResourceDefinitionNames): boolean {
  return (['plural', 'singular', 'kind', 'listKind'] as const).every((field) => (a[field] ?? '') === (b[field] ?? '')) && deepEqual(a.shortNames ?? [], b.shortNames ?? []) && deepEqual(a.categories ?? [], b.categories ?? []);
}
