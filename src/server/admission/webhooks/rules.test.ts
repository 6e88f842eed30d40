import type { V1RuleWithOperations } from '../../../api/generated/types.js';
import { isExempt, ruleMatches, type RuleSubject } from './rules.js';

const rule = (overrides: Partial<V1RuleWithOperations> = {}): V1RuleWithOperations => ({ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], ...overrides });
const subject = (text: string, overrides: Partial<RuleSubject> = {}): RuleSubject => {
  const [resource = '', subresource = ''] = text.split('/');
  return { operation: 'CREATE', resource: { group: '', version: 'v1', resource }, subresource, namespaced: true, ...overrides };
};

test.each<[string[], string, boolean]>([
  [['pods'], 'pods', true], [['pods'], 'pods/status', false], [['pods/status'], 'pods/status', true], [['pods/status'], 'pods', false],
  [['pods/*'], 'pods', true], [['pods/*'], 'pods/exec', true], [['pods/*'], 'services/status', false],
  [['*'], 'services', true], [['*'], 'pods/exec', false], [['*/scale'], 'pods/scale', true], [['*/scale'], 'pods', false], [['*/*'], 'pods/exec', true], [['*/*'], 'pods', true],
  [['services', 'pods'], 'pods', true], [[], 'pods', false],
])('resources %j and %s: %s', (resources, text, expected) => {
  expect(ruleMatches(rule({ resources }), subject(text))).toBe(expected);
});

test('operations, groups and versions match exactly or by a wildcard', () => {
  expect(ruleMatches(rule({ operations: ['UPDATE', 'DELETE'] }), subject('pods'))).toBe(false);
  expect(ruleMatches(rule({ operations: ['*'] }), subject('pods/exec', { operation: 'CONNECT' }))).toBe(false);
  expect(ruleMatches(rule({ operations: ['*'], resources: ['pods/exec'] }), subject('pods/exec', { operation: 'CONNECT' }))).toBe(true);
  expect(ruleMatches(rule({ apiGroups: ['apps'] }), subject('pods'))).toBe(false);
  expect(ruleMatches(rule({ apiVersions: ['v2'] }), subject('pods'))).toBe(false);
  expect(ruleMatches(rule({ apiGroups: ['*'], apiVersions: ['*'] }), subject('pods'))).toBe(true);
});

test('a namespace is in itself, and cluster-scoped all the same', () => {
  const at = (scope: string, text: string, namespaced: boolean): boolean => ruleMatches(rule({ scope, resources: ['*'] }), subject(text, { namespaced }));
  expect([at('Namespaced', 'pods', true), at('Namespaced', 'nodes', false), at('Namespaced', 'namespaces', true)]).toEqual([true, false, false]);
  expect([at('Cluster', 'pods', true), at('Cluster', 'nodes', false), at('Cluster', 'namespaces', true)]).toEqual([false, true, true]);
  expect([at('*', 'pods', true), at('*', 'nodes', false), at('Other', 'nodes', false)]).toEqual([true, true, false]);
});

test('configurations of admission are exempt', () => {
  const exempt = (group: string, kind: string): boolean => isExempt({ group, version: 'v1', kind });
  expect(exempt('admissionregistration.k8s.io', 'ValidatingWebhookConfiguration')).toBe(true);
  expect(exempt('admissionregistration.k8s.io', 'MutatingAdmissionPolicyBinding')).toBe(true);
  expect(exempt('example.com', 'ValidatingWebhookConfiguration')).toBe(false);
  expect(exempt('', 'Pod')).toBe(false);
});
