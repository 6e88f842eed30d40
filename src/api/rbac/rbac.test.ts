import type { V1ClusterRole, V1Role, V1RoleBinding } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updateErrors, type Changes } from '../scheme/testing.js';
import { clusterRole } from './cluster-role.js';
import { clusterRoleBinding } from './cluster-role-binding.js';
import { role } from './role.js';
import { roleBinding } from './role-binding.js';

const binding: V1RoleBinding = {
  metadata: { name: 'b', namespace: 'default' },
  roleRef: { apiGroup: '', kind: 'Role', name: 'r' },
  subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }, { kind: 'User', name: 'u' }, { kind: 'Group', name: 'g' }],
};
const stored = created(roleBinding, binding);
const GROUP = 'rbac.authorization.k8s.io';

test('API groups follow from the kind', () => {
  expect(stored.roleRef.apiGroup).toBe(GROUP);
  expect(stored.subjects!.map(({ apiGroup = '' }) => apiGroup)).toEqual(['', GROUP, GROUP]);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a kind of role', { 'roleRef/kind': 'Account' }, ['roleRef.kind: Unsupported value: "Account": supported values: "Role", "ClusterRole"']],
  ['no role', { 'roleRef/name': '' }, ['roleRef.name: Required value']],
  ['a name that is no path segment', { 'roleRef/name': 'a/b' }, ["roleRef.name: Invalid value: \"a/b\": may not contain '/'"]],
  ['a kind of subject', { 'subjects/1/kind': 'Robot' }, ['subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"']],
])('create a binding with %s', (_what, changes, expected) => {
  expect(createErrors(roleBinding, changed(binding, changes))).toEqual(expected);
});

test('accounts need a namespace where the binding has none', () => {
  expect(createErrors(clusterRoleBinding, changed(binding, { 'roleRef/kind': 'ClusterRole', 'subjects/0/namespace': '' }))).toEqual(['subjects[0].namespace: Required value']);
});

test('a binding stays with its role', () => {
  expect(updateErrors(roleBinding, stored, changed(stored, { 'roleRef/name': 'other' }))).toEqual([
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
  ]);
  expect(updateErrors(roleBinding, stored, changed(stored, { 'subjects/0/name': 'other' }))).toEqual([]);
});

test.each<[string, V1Role, string[]]>([
  ['nothing', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }, []],
  ['no verbs', { rules: [{ verbs: [], apiGroups: [''], resources: ['pods'] }] }, ['rules[0].verbs: Required value: verbs must contain at least one value']],
  ['no resources', { rules: [{ verbs: ['get'] }] }, [
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group', 'rules[0].resources: Required value: resource rules must supply at least one resource',
  ]],
  ['URLs', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs']],
])('role with %s', (_what, object, expected) => {
  expect(createErrors(role, { metadata: { name: 'r', namespace: 'default' }, ...object })).toEqual(expected);
});

test.each<[string, V1ClusterRole, string[]]>([
  ['URLs', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, []],
  ['URLs and resources', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'] }] }, [
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
  ]],
  ['an aggregation of nothing', { rules: [], aggregationRule: {} }, ['aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil']],
  ['an aggregation with an operator', { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] } }, [
    'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
    'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
  ]],
])('cluster role with %s', (_what, object, expected) => {
  expect(createErrors(clusterRole, { metadata: { name: 'r' }, ...object })).toEqual(expected);
});

test('names may have colons', () => {
  expect(role.validateName!('system:node', false)).toEqual([]);
  expect(clusterRoleBinding.validateName!('a%b', false)).toEqual(["may not contain '%'"]);
});

test('cells of a binding', () => {
  expect(cellsOf(roleBinding, stored)).toEqual(['b', 'Role/r', '<unknown>', 'u', 'g', 'default/a']);
});
