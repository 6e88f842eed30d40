import type { Draft } from '../draft.js';
import type { RbacV1Subject, V1ClusterRoleBinding, V1RoleBinding } from '../generated/types.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import type { TableColumn } from '../scheme/kind.js';
import { validateDnsSubdomain, validatePathSegment } from '../core/validation/names.js';

/** API group of roles and of users and groups as subjects. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

type Binding = V1RoleBinding | V1ClusterRoleBinding;

const ROLE_REF = FieldPath.of('roleRef');

/** The group of the role and of the subjects that are users and groups. */
export function defaultBinding(draft: Draft<Binding>): void {
  if (draft.roleRef !== undefined) draft.roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of draft.subjects ?? []) if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
}

/** `roleKinds`: what the binding may refer to. */
export function validateBinding(object: Binding, roleKinds: readonly string[], namespaced: boolean): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = object.roleRef ?? {};
  return [
    ...(apiGroup === RBAC_GROUP ? [] : [notSupportedInOrder(ROLE_REF.child('apiGroup'), apiGroup, [RBAC_GROUP])]),
    ...(roleKinds.includes(kind) ? [] : [notSupportedInOrder(ROLE_REF.child('kind'), kind, roleKinds)]),
    ...(name === '' ? [required(ROLE_REF.child('name'))] : validatePathSegment(name, ROLE_REF.child('name'))),
    ...(object.subjects ?? []).flatMap((subject, i) => validateSubject(subject, namespaced, FieldPath.of('subjects').index(i))),
  ];
}

/** The role of a binding may not change. */
export function validateRoleRefUpdate(object: Binding, old: Binding): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = object.roleRef ?? {};
  const before = old.roleRef ?? {};
  if (apiGroup === (before.apiGroup ?? '') && kind === (before.kind ?? '') && name === (before.name ?? '')) return [];
  return [invalid(ROLE_REF, { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
}

function validateSubject(subject: RbacV1Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const { apiGroup = '', kind = '', name = '', namespace = '' } = subject;
  const errors: FieldError[] = name === '' ? [required(path.child('name'))] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...validateDnsSubdomain(name, path.child('name')));
      if (apiGroup !== '') errors.push(notSupportedInOrder(path.child('apiGroup'), apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(path.child('namespace')));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== RBAC_GROUP) errors.push(notSupportedInOrder(path.child('apiGroup'), apiGroup, [RBAC_GROUP]));
      break;
    default:
      errors.push(notSupportedInOrder(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

/** The table of both kinds of bindings. */
export const BINDING_COLUMNS: readonly TableColumn<Binding>[] = [
  NAME,
  text('Role', (object) => `${object.roleRef?.kind ?? ''}/${object.roleRef?.name ?? ''}`),
  AGE,
  text('Users', (object) => subjectNames(object, 'User'), 1),
  text('Groups', (object) => subjectNames(object, 'Group'), 1),
  text('ServiceAccounts', (object) => subjectNames(object, 'ServiceAccount'), 1),
];

function subjectNames(object: Binding, kind: string): string {
  return (object.subjects ?? []).filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name)).join(', ');
}
