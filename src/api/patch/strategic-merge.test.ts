import { Schemas } from '../codec/schemas.js';
import type { JsonObject } from './json.js';
import { applyStrategicMergePatch } from './strategic-merge.js';

const schemas = new Schemas();
const deployment = schemas.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
const podSpec = schemas.definition('io.k8s.api.core.v1.PodSpec')!;
const meta = schemas.objectMeta;
const service = schemas.definition('io.k8s.api.core.v1.ServiceSpec')!;

const names = (value: unknown): unknown => ((value as JsonObject).containers as JsonObject[]).map(({ name }) => name);
const containers = (...list: string[]): JsonObject => ({ containers: list.map((name) => ({ name, image: 'old' })) });

test('lists are merged by key: named items in the order of the patch, the others among them where they were', () => {
  const result = applyStrategicMergePatch(containers('a', 'b', 'c'), { containers: [{ name: 'd' }, { name: 'b', image: 'new' }] }, podSpec);
  expect(result).toEqual({ containers: [{ name: 'd' }, { name: 'a', image: 'old' }, { name: 'b', image: 'new' }, { name: 'c', image: 'old' }] });
});

test('items can be deleted and lists replaced', () => {
  expect(names(applyStrategicMergePatch(containers('a', 'b'), { containers: [{ name: 'a', $patch: 'delete' }] }, podSpec))).toEqual(['b']);
  expect(names(applyStrategicMergePatch(containers('a', 'b'), { containers: [{ name: 'z' }, { $patch: 'replace' }] }, podSpec))).toEqual(['z']);
});

test('$setElementOrder orders', () => {
  const order = (...list: string[]): JsonObject[] => list.map((name) => ({ name }));
  expect(names(applyStrategicMergePatch(containers('a', 'b', 'c'), { '$setElementOrder/containers': order('c', 'a') }, podSpec))).toEqual(['b', 'c', 'a']);
  expect(
    names(applyStrategicMergePatch(containers('a', 'b'), { '$setElementOrder/containers': order('n', 'b', 'a'), containers: [{ name: 'n' }] }, podSpec)),
  ).toEqual(['n', 'b', 'a']);
  expect(() => applyStrategicMergePatch(containers('a'), { '$setElementOrder/containers': order('a'), containers: [{ name: 'x' }] }, podSpec)).toThrow("doesn't match $setElementOrder list");
});

test('scalars', () => {
  expect(applyStrategicMergePatch({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] }, meta)).toEqual({ finalizers: ['c', 'a', 'b'] });
  expect(applyStrategicMergePatch({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] }, meta)).toEqual({ finalizers: ['b'] });
  expect(applyStrategicMergePatch({ finalizers: ['a', 'b', 'c'] }, { '$setElementOrder/finalizers': ['c', 'a'], '$deleteFromPrimitiveList/finalizers': ['b'] }, meta)).toEqual({ finalizers: ['c', 'a'] });
  expect(applyStrategicMergePatch({ externalIPs: ['1.1.1.1'] }, { externalIPs: ['2.2.2.2'] }, service)).toEqual({ externalIPs: ['2.2.2.2'] });
});

test('null deletes, objects merge, replace and delete directives', () => {
  const original = { metadata: { labels: { a: '1', b: '2' } }, spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
  expect(applyStrategicMergePatch(original, { metadata: { labels: { a: null, c: '3' } } }, deployment)).toMatchObject({ metadata: { labels: { b: '2', c: '3' } } });
  expect(applyStrategicMergePatch(original, { spec: { strategy: { $patch: 'replace', type: 'Recreate' } } }, deployment)).toMatchObject({ spec: { strategy: { type: 'Recreate' } } });
  expect(applyStrategicMergePatch(original, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }, deployment).spec).toEqual({ strategy: { type: 'Recreate' } });
  expect(applyStrategicMergePatch(original, { spec: { strategy: { $patch: 'delete' } } }, deployment).spec).toEqual({ strategy: {} });
  expect(applyStrategicMergePatch({}, { metadata: { labels: { a: null, b: '1' } }, spec: { template: { $patch: 'delete' } } }, deployment)).toEqual({ metadata: { labels: { b: '1' } }, spec: {} });
});

test('what cannot be applied is the client\'s fault', () => {
  const fails = (patch: JsonObject, code: number, message: string, original: JsonObject = containers('a')): void => {
    expect(() => applyStrategicMergePatch(original, patch, podSpec)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) as unknown }) as Error);
  };
  fails({ containers: [{ image: 'x' }] }, 422, 'map: map[image:x] does not contain declared merge key: name');
  fails({ containers: ['x'] }, 422, 'list element types are not identical');
  fails({ containers: [[1]] }, 422, 'the server rejected our request', { containers: [] });
  fails({ containers: [[1]] }, 422, 'list element types are not identical');
  fails({ containers: [{ $patch: 1, name: 'a' }] }, 422, 'unknown patch type: %!s(int64=1) in map: map[$patch:1 name:a]');
  fails({ '$setElementOrder/containers': ['a'] }, 422, 'value for key 0 is not a map');
  fails({ containers: [{ $patch: 'frob', name: 'a' }] }, 422, 'unknown patch type: frob in map');
  fails({ $patch: 'frob' }, 422, 'unknown patch type: frob in map: map[$patch:frob]');
  fails({ $patch: null }, 422, 'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]');
  fails({ $patch: { a: [true, 1.5, 'x'] } }, 422, 'unknown patch type: map[a:[%!s(bool=true) %!s(float64=1.5) x]] in map');
  fails({ $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys');
  fails({ $retainKeys: ['a'], volumes: [] }, 400, 'invalid patch format of retainKeys');
  fails({ '$setElementOrder/containers': 'x' }, 422, 'expected a []interface {}, but received a string');
  fails({ '$deleteFromPrimitiveListX': [] }, 400, 'invalid patch format of primitive list');
});

test('arguments are not changed', () => {
  const original = containers('a', 'b');
  const patch = { containers: [{ name: 'a', env: [{ name: 'x', value: null }] }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }] };
  const before = JSON.stringify([original, patch]);
  applyStrategicMergePatch(original, patch, podSpec);
  expect(JSON.stringify([original, patch])).toBe(before);
});

test('an order without any elements, and without a list', () => {
  expect(() => applyStrategicMergePatch(containers(), { '$setElementOrder/containers': [], containers: [] }, podSpec)).toThrow('no elements in any of the given slices');
  expect(() => applyStrategicMergePatch(containers('a'), { '$setElementOrder/containers': [], containers: null }, podSpec)).toThrow('expected a []interface {}, but received a %!s(<nil>)');
});
