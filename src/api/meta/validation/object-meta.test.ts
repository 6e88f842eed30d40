import type { V1ObjectMeta } from '../../generated/types.js';
import { FieldPath } from '../field-path.js';
import { validateLabelSelector } from './label-selector.js';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.js';

const good: V1ObjectMeta = { name: 'a', namespace: 'default', resourceVersion: '1', uid: 'u' };

test.each<[V1ObjectMeta, string, string, string]>([
  [{ namespace: 'default' }, 'metadata.name', 'FieldValueRequired', 'Required value: name or generateName is required'],
  [{ name: 'a' }, 'metadata.namespace', 'FieldValueRequired', 'Required value'],
  [{ ...good, namespace: 'a.b' }, 'metadata.namespace', 'FieldValueInvalid', 'Invalid value: "a.b": must not contain dots'],
  [{ ...good, generation: -1 }, 'metadata.generation', 'FieldValueInvalid', 'Invalid value: -1: must be greater than or equal to 0'],
  [{ ...good, labels: { 'a/': '' } }, 'metadata.labels', 'FieldValueInvalid', 'Invalid value: "a/": name part must be non-empty'],
  [{ ...good, ownerReferences: [{ apiVersion: '', kind: 'A', name: 'a', uid: 'u' }] }, 'metadata.ownerReferences.apiVersion', 'FieldValueInvalid', 'Invalid value: "": version must not be empty'],
  [{ ...good, finalizers: ['orphan', 'foregroundDeletion'] }, 'metadata.finalizers', 'FieldValueInvalid',
    'Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set'],
])('create %j', (meta, field, type, message) => {
  expect(validateObjectMeta(meta, { namespaced: true })).toContainEqual({ field, type, message });
});

test('two controllers are one too many', () => {
  const owner = (name: string) => ({ apiVersion: 'v1', kind: 'A', name, uid: name, controller: true });
  const [error] = validateObjectMeta({ ...good, ownerReferences: [owner('x'), owner('y')] }, { namespaced: true });
  expect(error!.message).toContain('Only one reference can have Controller set to true. Found "true" in references for A/x and A/y');
});

test('cluster-scoped kinds have no namespace', () => {
  expect(validateObjectMeta(good, { namespaced: false })).toEqual([{ field: 'metadata.namespace', type: 'FieldValueForbidden', message: 'Forbidden: not allowed on this type' }]);
});

test.each<[V1ObjectMeta, V1ObjectMeta, string, string]>([
  [{ ...good, uid: 'v' }, good, 'metadata.uid', 'Invalid value: "v": field is immutable'],
  [{ ...good, resourceVersion: '' }, good, 'metadata.resourceVersion', 'Invalid value: "": must be specified for an update'],
  [{ ...good, finalizers: ['a/b'] }, { ...good, deletionTimestamp: 'x' }, 'metadata.finalizers',
    'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}'],
])('update %j', (meta, old, field, message) => {
  expect(validateObjectMetaUpdate(meta, old)).toContainEqual(expect.objectContaining({ field, message }));
});

test('an unchanged object has no errors', () => {
  expect(validateObjectMeta(good, { namespaced: true })).toEqual([]);
  expect(validateObjectMetaUpdate(good, good)).toEqual([]);
});

test('selectors', () => {
  const errors = validateLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In' }, { key: '', operator: 'Exists', values: ['x'] }, { key: 'b', operator: 'Gt' }] }, FieldPath.of('spec', 'selector'));
  expect(errors.map((error) => `${error.field}: ${error.message}`)).toEqual([
    "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    'spec.selector.matchExpressions[1].key: Invalid value: "": name part must be non-empty',
    expect.stringContaining('spec.selector.matchExpressions[1].key: Invalid value: "": name part must consist'),
    'spec.selector.matchExpressions[2].operator: Invalid value: "Gt": not a valid selector operator',
  ]);
});
