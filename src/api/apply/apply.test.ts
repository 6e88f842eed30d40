import fc from 'fast-check';
import { Codec } from '../codec/codec.js';
import { BuiltInTypes } from './built-in-types.js';
import { compareObjects } from './compare.js';
import { ApplyConflict } from './conflict.js';
import { FieldManager, type Applied } from './field-manager.js';
import { fieldSetOf } from './field-set.js';
import { difference, intersection, isEmpty, LEAF, recursiveDifference, sameTree, treeOfPath, union, type FieldTree } from './field-tree.js';
import { customType } from './json-schema-types.js';
import { mergeObjects } from './merge.js';
import { parseTree } from './parse-tree.js';
import { compareElements, elementText, keyElement, parseElement, sortElements } from './path-element.js';
import { extractFields } from './remove.js';
import { TypedError } from './typed-error.js';
import { checkTyped } from './validate.js';

const codec = new Codec();
const types = new BuiltInTypes();
const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const deployment = types.struct(codec.schemas.kind(kind)!);
const same = (object: unknown): unknown => object;
const manager = new FieldManager({
  versions: (apiVersion) => (apiVersion === 'apps/v1' ? { type: deployment, checked: true, changes: false, toHub: same, fromHub: same } : undefined),
  apiVersion: 'apps/v1',
  subresource: '',
  empty: codec.check({ value: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} } }, codec.schemas.kind(kind)!, { strict: false }).object as object,
});
const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:00:01Z';
const deploy = (spec: object): object => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
const container = (name: string, more: object = {}): object => ({ name, image: 'i', ...more });
const withPod = (...containers: object[]): object => ({ template: { spec: { containers } } });
const stored = (applied: Applied, before: object = {}): object & { metadata: object; spec: { replicas?: number; template?: { spec: { containers: { name: string }[] } } } } => {
  const object = (applied.object ?? before) as { metadata: object; spec: object };
  return { ...object, metadata: { ...object.metadata, managedFields: applied.managedFields } } as never;
};

const element = fc.oneof(fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'k:{"port":80}', 'v:"s"', 'v:1', 'i:0'));
const tree: fc.Arbitrary<FieldTree> = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 }).map((paths) => paths.reduce<FieldTree>((all, path) => union(all, treeOfPath(path)), LEAF));

test('sets are read as they were written, and are sets', () => {
  fc.assert(fc.property(tree, tree, (a, b) => {
    expect(sameTree(parseTree(JSON.parse(JSON.stringify(a)))!, a)).toBe(true);
    expect(JSON.stringify(parseTree(JSON.parse(JSON.stringify(a))))).toBe(JSON.stringify(a));
    expect(sameTree(union(a, b), union(b, a))).toBe(true);
    expect(union(a, a)).toBe(a);
    expect(isEmpty(difference(a, a))).toBe(true);
    expect(sameTree(union(difference(a, b), intersection(a, b)), a)).toBe(true);
    expect(isEmpty(intersection(difference(a, b), b))).toBe(true);
    expect(isEmpty(intersection(recursiveDifference(a, b), b))).toBe(true);
  }));
});

test('steps have one form, an order and a text', () => {
  expect(parseElement('k:{ "protocol":"TCP", "port":80 }')).toBe('k:{"port":80,"protocol":"TCP"}');
  expect(parseElement('v:')).toBeUndefined();
  expect(parseElement('x:1')).toBeUndefined();
  expect(['v:"b"', 'i:10', 'k:{"port":443}', 'f:b', 'k:{"port":80}', 'i:9', 'f:a'].sort(compareElements)).toEqual(['f:a', 'f:b', 'k:{"port":80}', 'k:{"port":443}', 'v:"b"', 'i:9', 'i:10']);
  expect(elementText(keyElement([['port', 80], ['protocol', 'TCP']]))).toBe('[port=80,protocol="TCP"]');
  expect(keyElement([['a', '<&>']])).toBe('k:{"a":"\\u003c\\u0026\\u003e"}');
});

const spec = fc.record({
  replicas: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  template: fc.record({ spec: fc.record({ containers: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }).map((names) => names.map((name) => container(name))) }) }),
}).map((value) => JSON.parse(JSON.stringify(value)) as object);

test('merging again changes nothing, and applying twice is applying once', () => {
  fc.assert(fc.property(spec, spec, (one, two) => {
    const merged = mergeObjects(deployment, deploy(one), deploy(two));
    expect(mergeObjects(deployment, merged, deploy(two))).toEqual(merged);
    const first = stored(manager.apply(undefined, deploy(one), 'm', false, NOW));
    const second = stored(manager.apply(first, deploy(two), 'm', false, NOW), first);
    const third = manager.apply(second, deploy(two), 'm', false, LATER);
    expect(third.object).toBeUndefined();
    expect(third.managedFields).toEqual((second.metadata as { managedFields: unknown }).managedFields);
    // What one manager alone applies is what there is.
    expect(second.spec.template!.spec.containers.map(({ name }) => name).sort()).toEqual((two as typeof second.spec).template!.spec.containers.map(({ name }) => name).sort());
    expect(second.spec.replicas).toBe((two as typeof second.spec).replicas);
  }));
});

test('what is added is all there is: creating by update owns every field once', () => {
  fc.assert(fc.property(spec, (one) => {
    const change = compareObjects(deployment, {}, deploy(one), false)!;
    expect(isEmpty(difference(fieldSetOf(deployment, deploy(one)), change.added))).toBe(true);
    expect(isEmpty(change.removed)).toBe(true);
    expect(compareObjects(deployment, deploy(one), structuredClone(deploy(one)), true)).toBeUndefined();
  }));
});

test('a conflict names the manager and the field; force takes the field', () => {
  const first = stored(manager.apply(undefined, deploy({ replicas: 1 }), 'a', false, NOW));
  const conflict = (): ApplyConflict => {
    try {
      manager.apply(first, deploy({ replicas: 2 }), 'b', false, NOW);
    } catch (error) {
      if (error instanceof ApplyConflict) return error;
    }
    throw new Error('no conflict');
  };
  expect(conflict().message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.replicas');
  expect(conflict().causes).toEqual([{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' }]);
  expect(manager.apply(first, deploy({ replicas: 2 }), 'b', true, NOW).managedFields).toEqual([
    { manager: 'b', operation: 'Apply', apiVersion: 'apps/v1', time: NOW, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
  ]);
});

test('what an applier gives up goes, unless somebody else owns it', () => {
  const first = stored(manager.apply(undefined, deploy({ replicas: 1, ...withPod(container('a'), container('b')) }), 'm', false, NOW));
  const shared = stored(manager.apply(first, deploy(withPod(container('b'))), 'n', false, NOW), first);
  const after = stored(manager.apply(shared, deploy(withPod()), 'm', false, NOW), shared);
  expect(after.spec.template!.spec).toEqual({ containers: [container('b')] });
  expect(after.spec).not.toHaveProperty('replicas');
});

test('new objects of one shape share their set, others do not', () => {
  const create = (object: object): unknown => manager.update(undefined, object as never, 'm', NOW)![0]!.fieldsV1;
  const one = create(deploy({ replicas: 1, ...withPod(container('a')) }));
  expect(create(deploy({ replicas: 2, ...withPod(container('a')) }))).toBe(one);
  expect(create(deploy({ replicas: 1, ...withPod(container('b')) }))).not.toEqual(one);
  expect(create(deploy({ replicas: 1, ...withPod(container('a', { command: [] })) }))).toEqual(one);
});

test('configurations that do not fit are refused in the words of upstream', () => {
  const problem = (object: object): string => {
    try {
      checkTyped(deployment, deploy(object));
      return 'none';
    } catch (error) {
      return error instanceof TypedError ? error.message : String(error);
    }
  };
  expect(problem({ replicas: '3' })).toBe('.spec.replicas: expected numeric (int or float), got string');
  expect(problem({ foo: 1 })).toBe('.spec.foo: field not declared in schema');
  expect(problem(withPod(container('c'), container('c')))).toBe('.spec.template.spec.containers: duplicate entries for key [name="c"]');
  expect(problem(withPod(container('c', { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] })))).toBe(
    '.spec.template.spec.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
  );
  expect(problem({ replicas: 'a', paused: 'x' })).toBe('errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.paused: expected boolean, got &{x}');
});

test('old updates are merged into one entry', () => {
  let object: { metadata: { managedFields?: unknown; labels?: Record<string, string> } } = { metadata: {} };
  for (let i = 0; i < 14; i++) {
    const next = { metadata: { ...object.metadata, labels: { ...object.metadata.labels, [`l${i}`]: 'x' } } };
    const managedFields = manager.update(i === 0 ? undefined : (object as never), next as never, `u${i}`, `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`);
    object = { metadata: { ...next.metadata, managedFields } };
  }
  const entries = object.metadata.managedFields as { manager: string; fieldsV1: object }[];
  expect(entries.map((entry) => entry.manager)).toEqual(['ancient-changes', 'u5', 'u6', 'u7', 'u8', 'u9', 'u10', 'u11', 'u12', 'u13']);
  expect(Object.keys((entries[0]!.fieldsV1 as Record<string, Record<string, object>>)['f:metadata']!['f:labels']!)).toEqual(['.', 'f:l0', 'f:l1', 'f:l2', 'f:l3', 'f:l4']);
});

test('custom types follow the schema', () => {
  const metadata = types.struct(codec.schemas.objectMeta);
  const type = customType({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          map: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, value: { type: 'string' } } }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'] },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        },
      },
    },
  }, metadata);
  const object = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'n' }, spec: { set: ['a', 'b'], map: [{ port: 1, value: 'v' }], whole: { a: '1' }, free: { deep: { er: 1 } }, embedded: { kind: 'Y', metadata: { finalizers: ['f'] } } } };
  expect(fieldSetOf(type, object)['f:spec']).toEqual({
    'f:free': { 'f:deep': { '.': {}, 'f:er': {} } },
    'f:map': { 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:value': {} } },
    'f:set': { 'v:"a"': {}, 'v:"b"': {} },
    'f:whole': {},
    'f:embedded': { 'f:kind': {}, 'f:metadata': { 'f:finalizers': { 'v:"f"': {} } } },
  });
  expect(extractFields(type, object, { 'f:spec': { 'f:map': { 'k:{"port":1,"protocol":"TCP"}': { 'f:value': {} } } } })).toEqual({ spec: { map: [{ port: 1, value: 'v' }] } });
});

test('elements are sorted alike in long lists and one by one', () => {
  const elements = ['v:"b"', 'k:{"name":"a b"}', 'f:z', 'v:10', 'i:2', 'k:{"name":"a"}', 'v:9', 'f:a', 'k:{"a":1,"name":"a"}', 'k:{"name":"a!"}', '.', 'i:10', 'v:true', 'v:"a"', 'k:{"name":2}'];
  const wanted = ['.', 'f:a', 'f:z', 'k:{"a":1,"name":"a"}', 'k:{"name":2}', 'k:{"name":"a"}', 'k:{"name":"a b"}', 'k:{"name":"a!"}', 'v:9', 'v:10', 'v:"a"', 'v:"b"', 'v:true', 'i:2', 'i:10'];
  expect(sortElements([...elements])).toEqual(wanted);
  expect([...elements].sort(compareElements)).toEqual(wanted);
  expect(sortElements(['k:{"name":"b"}', 'k:{"name":"a"}'])).toEqual(['k:{"name":"a"}', 'k:{"name":"b"}']);
});
