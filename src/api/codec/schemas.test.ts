import { RESOURCES } from '../facts/resources.js';
import { KINDS } from '../kinds.js';
import type { StructSchema, TypeSchema } from './schema.js';
import { Schemas } from './schemas.js';

const schemas = new Schemas();
const pod = schemas.kind({ group: '', version: 'v1', kind: 'Pod' })!;

function at(struct: StructSchema, ...path: string[]): TypeSchema {
  let type: TypeSchema = struct;
  for (const name of path) {
    while (type.kind === 'list' || type.kind === 'map') type = type.kind === 'list' ? type.items : type.values;
    type = (type as StructSchema).fields.get(name)!.type;
  }
  return type;
}

test('every served kind has a type', () => {
  for (const { group, version, kind } of RESOURCES) expect([kind, schemas.kind({ group, version, kind })?.shortName]).toEqual([kind, kind]);
  for (const definition of KINDS) expect(schemas.kind(definition)?.fields.has('metadata')).toBe(true);
});

test('every type that is reachable can be read', () => {
  const seen = new Set<StructSchema>();
  const visit = (type: TypeSchema): void => {
    if (type.kind === 'list') return visit(type.items);
    if (type.kind === 'map') return visit(type.values);
    if (type.kind !== 'struct') return;
    if (seen.has(type)) return;
    seen.add(type);
    for (const field of type.fields.values()) visit(field.type);
  };
  for (const { group, version, kind } of RESOURCES) visit(schemas.kind({ group, version, kind })!);
  expect(seen.size).toBeGreaterThan(450);
});

test('a pod is described', () => {
  const containers = (at(pod, 'spec') as StructSchema).fields.get('containers')!;
  expect(containers).toMatchObject({ presence: 'value', listType: 'map', listMapKeys: ['name'], patchMergeKey: 'name', patchStrategy: ['merge'] });
  expect(containers.type.goName).toBe('[]v1.Container');
  expect(at(pod, 'spec', 'volumes', 'hostPath').goName).toBe('v1.HostPathVolumeSource');
  expect((at(pod, 'spec', 'volumes') as { items: StructSchema }).items.fields.get('hostPath')!.embedded).toBe('VolumeSource');
  expect(at(pod, 'spec', 'containers', 'resources', 'limits')).toMatchObject({ kind: 'map', goName: 'v1.ResourceList', values: { kind: 'quantity' } });
  expect(at(pod, 'spec', 'containers', 'livenessProbe', 'httpGet', 'port').kind).toBe('intOrString');
  expect(at(pod, 'metadata', 'creationTimestamp').kind).toBe('time');
  expect((at(pod, 'spec') as StructSchema).fields.get('volumes')!.patchStrategy).toEqual(['merge', 'retainKeys']);
});

test('options belong to every group version', () => {
  expect(schemas.kind({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.fields.has('gracePeriodSeconds')).toBe(true);
  expect(schemas.kind({ group: 'apps', version: 'v1', kind: 'Pod' })).toBeUndefined();
  expect(schemas.kind({ group: '', version: '', kind: 'APIVersions' })).toBeDefined();
  expect(schemas.kind({ group: 'example.com', version: 'v1', kind: 'Status' })).toBeUndefined();
});
