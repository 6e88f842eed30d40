import fc from 'fast-check';
import { RESOURCES } from '../facts/resources.js';
import { parseApiVersion, type GroupVersionKind } from '../meta/object.js';
import { Codec } from './codec.js';
import { protobufEnvelope } from './encode-protobuf.js';
import type { FieldSchema, StructSchema, TypeSchema } from './schema.js';

const codec = new Codec();
const MAX_DEPTH = 9;

function encode(object: { readonly apiVersion: string; readonly kind: string }): Buffer {
  const kind = kindOf(object.apiVersion, object.kind);
  return protobufEnvelope(kind, codec.protobufMessage(object, codec.schemas.kind(kind)!));
}

function kindOf(apiVersion: string, kind: string): GroupVersionKind {
  return { ...parseApiVersion(apiVersion)!, kind };
}

const ALL_KINDS = [...new Map(RESOURCES.map(({ group, version, kind }): [string, GroupVersionKind] => [`${group}/${version} ${kind}`, { group, version, kind }])).values()].filter(
  (kind) => codec.schemas.kind(kind) !== undefined,
);

/** Objects with every field set, `seed` telling different ones apart; types that hold themselves end in empty structs. */
class Filler {
  private count: number;

  constructor(seed: number) {
    this.count = seed;
  }

  struct(type: StructSchema, depth = 0): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    if (depth > MAX_DEPTH) return object;
    for (const field of type.fields.values()) {
      // Protobuf says of the whole alone what kind it is.
      if (field.embedded === 'TypeMeta') continue;
      const value = this.value(field.type, depth, field);
      if (value !== undefined) object[field.name] = value;
    }
    return object;
  }

  private value(type: TypeSchema, depth: number, field?: FieldSchema): unknown {
    const n = ++this.count;
    switch (type.kind) {
      case 'struct':
        // Schemas hold schemas in twenty ways.
        return this.struct(type, depth + (type.shortName === 'JSONSchemaProps' ? 2 : 1));
      case 'list':
        return depth > MAX_DEPTH ? undefined : [this.value(type.items, depth + 1), this.value(type.items, depth + 1)];
      case 'map':
        return depth > MAX_DEPTH ? undefined : Object.fromEntries(['z', 'a', 'ä😀', '\uffff'].map((key) => [`${key}${n}`, this.value(type.values, depth + 1)]));
      case 'string':
        return `${field?.name ?? 'item'} ${n} ${n % 3 === 0 ? 'ä😀' : ''}`;
      case 'boolean':
        return true;
      case 'int32':
        return n % 2 === 0 ? n : -n;
      case 'int64':
        return n % 2 === 0 ? n * 2 ** 33 : -n * 2 ** 33;
      case 'double':
        return n / 4;
      case 'bytes':
        return Buffer.from(`bytes ${n}`).toString('base64');
      case 'quantity':
        return `${n}Mi`;
      case 'time':
        return new Date(n * 1e9).toISOString().replace(/\.\d+/, '');
      case 'microTime':
        return new Date(n * 1e9).toISOString().replace(/\.\d+/, `.${String(n).padStart(6, '0')}`);
      case 'intOrString':
        return n % 2 === 0 ? n : `port-${n}`;
      case 'raw':
      case 'json':
        return { n, list: [1.5, null, 'x'], text: '"<&>"' };
      case 'schemaOrBool':
        return depth > 4 ? n % 2 === 0 : this.struct(type.struct!, depth + 5);
      case 'schemaOrArray':
        return depth > 4 ? {} : [this.struct(type.struct!, depth + 5)];
      case 'schemaOrStrings':
        return [`a${n}`, 'b'];
    }
  }
}

test.each(ALL_KINDS.map((kind): [string, GroupVersionKind] => [`${kind.group}/${kind.version} ${kind.kind}`, kind]))('%s with all its fields comes back as it was', (_, kind) => {
  const type = codec.schemas.kind(kind)!;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const filled = { ...new Filler(1).struct(type), apiVersion, kind: kind.kind };
  const { object } = codec.check({ value: filled }, type, { strict: true });
  const bytes = protobufEnvelope(kind, codec.protobufMessage(object as object, type));
  const decoded = codec.check(codec.decodeProtobuf(bytes, kind), type, { strict: true }).object;
  expect(decoded).toEqual(object);
  expect(protobufEnvelope(kind, codec.protobufMessage(decoded as object, type)).equals(bytes)).toBe(true);
});

test('a block is the messages with their tags and lengths', () => {
  const kind = kindOf('v1', 'ConfigMap');
  const type = codec.schemas.kind(kind)!;
  const objects = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, data: { text: 'ä'.repeat(300) } }, {}];
  const { bytes, messages } = codec.protobufBlock(objects, type, 0x12);
  const alone = objects.map((object) => codec.protobufMessage(object, type));
  expect(messages.map((message) => message.toString('hex'))).toEqual(alone.map((message) => message.toString('hex')));
  const heads = ['12' + alone[0]!.length.toString(16).padStart(2, '0'), '12' + ((alone[1]!.length & 0x7f) | 0x80).toString(16) + (alone[1]!.length >> 7).toString(16).padStart(2, '0'), '12' + alone[2]!.length.toString(16).padStart(2, '0')];
  expect(bytes.toString('hex')).toBe(alone.map((message, i) => heads[i]! + message.toString('hex')).join(''));
});

test('the bytes that kubectl sends for a config map', () => {
  const sent = '6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a00320038004200' + '12060a01781201791a002200';
  expect(encode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: 'y' } } as never).toString('hex')).toBe(sent);
});

/** The fields of a message, as hexadecimal digits. */
function message(apiVersion: string, kind: string, fields: object): string {
  return codec.protobufMessage({ apiVersion, kind, ...fields }, codec.schemas.kind(kindOf(apiVersion, kind))!).toString('hex');
}

test('what is held by value is written when it is zero, what is pointed to is not', () => {
  expect(message('v1', 'Secret', { metadata: {}, type: 'x' }).slice(-6)).toBe('1a0178');
  expect(message('coordination.k8s.io/v1', 'Lease', { metadata: {}, spec: {} })).toMatch(/1200$/);
  expect(message('coordination.k8s.io/v1', 'Lease', { metadata: {}, spec: { leaseTransitions: 0 } })).toMatch(/12022800$/);
});

test('maps are sorted by their bytes, lists and maps that are empty or null are nothing', () => {
  const sorted = message('v1', 'ConfigMap', { data: { '😀': '1', '\uffff': '2', a: '3' } });
  const at = ['610', 'efbfbf', 'f09f9880'].map((key) => sorted.indexOf(key));
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(message('v1', 'ConfigMap', { data: {}, binaryData: null })).toBe(message('v1', 'ConfigMap', {}));
});

test('special types', () => {
  const intOrString = (value: number | string): string => message('policy/v1', 'PodDisruptionBudget', { metadata: {}, spec: { minAvailable: value } });
  expect(intOrString(-1)).toContain('0a0f' + '0800' + '10ffffffffffffffffff01' + '1a00');
  expect(intOrString('50%')).toContain('0a09' + '0801' + '1000' + '1a03353025');
  const lease = (renewTime: string | null): string => message('coordination.k8s.io/v1', 'Lease', { metadata: {}, spec: { renewTime } });
  expect(lease('1970-01-01T00:00:01.000005Z')).toContain('2205' + '0801' + '108827');
  expect(lease(null)).toMatch(/1200$/);
  expect(message('v1', 'Pod', { metadata: { creationTimestamp: '1969-12-31T23:59:59Z' } })).toContain('420d' + '08ffffffffffffffffff01' + '1000');
});

test('an error leaves nothing behind', () => {
  const type = codec.schemas.kind(kindOf('v1', 'ConfigMap'))!;
  const before = message('v1', 'ConfigMap', { data: { a: 'b' } });
  expect(() => codec.protobufMessage({ metadata: { name: 5 }, data: { a: 'b' } }, type)).toThrow('must be of type string');
  expect(message('v1', 'ConfigMap', { data: { a: 'b' } })).toBe(before);
});

test('any text and any size comes back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 70_000 }).map((size) => 'x'.repeat(size))), { maxKeys: 8, noNullPrototype: true }), (data) => {
      const bytes = encode({ apiVersion: 'v1', kind: 'ConfigMap', data } as never);
      const decoded = codec.decodeProtobuf(bytes, kindOf('v1', 'ConfigMap')).value as { readonly data?: object };
      expect(decoded.data ?? {}).toEqual(data);
    }),
    { numRuns: 50 },
  );
});
