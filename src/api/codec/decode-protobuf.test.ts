import fc from 'fast-check';
import { Codec } from './codec.js';

const codec = new Codec();
const EXPECTED = { group: '', version: 'v1', kind: 'ConfigMap' };

const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]);
const bytes = (field: number, ...content: number[]): number[] => [...varint(field * 8 + 2), ...varint(content.length), ...content];
const text = (field: number, value: string): number[] => bytes(field, ...Buffer.from(value));
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const envelope = (apiVersion: string, kind: string, ...raw: number[]): Buffer =>
  Buffer.from([...Buffer.from('k8s\0'), ...bytes(1, ...text(1, apiVersion), ...text(2, kind)), ...bytes(2, ...raw)]);

function decode(apiVersion: string, kind: string, ...raw: number[]) {
  return codec.decodeProtobuf(envelope(apiVersion, kind, ...raw), EXPECTED).value;
}

test('what kubectl sends for a config map', () => {
  const sent = Buffer.from('6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a00320038004200' + '12060a01781201791a002200', 'hex');
  expect(codec.decodeProtobuf(sent, EXPECTED).value).toEqual({
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', generateName: '', namespace: '', selfLink: '', uid: '', resourceVersion: '', generation: 0, creationTimestamp: null }, data: { x: 'y' },
  });
});

test('messages, maps, special types and embedded messages', () => {
  const port = [...text(1, 'http'), ...number(3, 80), ...bytes(4, ...number(1, 1), ...text(3, 'web'))];
  expect(decode('v1', 'Service', ...bytes(2, ...bytes(1, ...port)))).toMatchObject({ spec: { ports: [{ name: 'http', port: 80, targetPort: 'web' }] } });
  const limits = bytes(1, ...text(1, 'cpu'), ...bytes(2, ...text(1, '500m')));
  const volume = [...text(1, 'v'), ...bytes(2, ...bytes(1, ...text(1, '/data')))];
  expect(decode('v1', 'Pod', ...bytes(2, ...bytes(1, ...volume), ...bytes(2, ...text(1, 'c'), ...bytes(8, ...limits))))).toMatchObject({
    spec: { volumes: [{ name: 'v', hostPath: { path: '/data' } }], containers: [{ name: 'c', resources: { limits: { cpu: '500m' } } }] },
  });
  expect(decode('authentication.k8s.io/v1', 'TokenReview', ...bytes(3, ...bytes(2, ...bytes(4, ...text(1, 'k'), ...bytes(2, ...text(1, 'a'), ...text(1, 'b'))))))).toMatchObject({ status: { user: { extra: { k: ['a', 'b'] } } } });
  expect(decode('apps/v1', 'ControllerRevision', ...bytes(2, ...text(1, '{"a":[1.5]}')))).toMatchObject({ data: { a: [1.5] } });
});

test('repeated numbers, packed or not, and unknown fields', () => {
  const securityContext = (...content: number[]): number[] => bytes(2, ...bytes(14, ...content));
  expect(decode('v1', 'Pod', ...securityContext(...number(4, 1), ...number(4, 300)))).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 300] } } });
  expect(decode('v1', 'Pod', ...securityContext(...bytes(4, 1, ...varint(300)), ...number(99, 1), ...text(98, 'x')))).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 300] } } });
});

test('what is no such message is refused', () => {
  expect(() => codec.decodeProtobuf(Buffer.from('{}'), EXPECTED)).toThrow('expected prefix [107 56 115 0]');
  expect(() => decode('v1', 'ConfigMap', 0x0a, 0x7f)).toThrow('unexpected EOF');
  expect(() => decode('v1', 'ConfigMap', ...number(1, 5))).toThrow('wrong wireType');
  expect(() => decode('a/b/c', 'ConfigMap')).toThrow('unexpected GroupVersion string: a/b/c');
  expect(decode('x/v1', 'Foo', 1, 2, 3)).toEqual({ apiVersion: 'x/v1', kind: 'Foo' });
});

test('damaged messages never make the decoder fail otherwise than with its own error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom('Pod', 'ConfigMap', 'Service'), (raw, kind) => {
      try {
        decode('v1', kind, ...raw);
      } catch (error) {
        expect(error).toHaveProperty('code', 'KUBE_CANNOT_DECODE');
      }
    }),
  );
});
