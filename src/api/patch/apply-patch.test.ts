import { atOnce } from '../../base/steps.js';
import { Codec } from '../codec/codec.js';
import { preparePatch, type FieldValidation, type PatchRequest } from './apply-patch.js';

const codec = new Codec();
const schema = codec.schemas.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
const current = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ name: 'a', resources: {} }] } } }, status: {} };

function patch(type: PatchRequest['type'], body: string, fieldValidation: FieldValidation = 'Strict') {
  return atOnce(atOnce(preparePatch(codec, { type, body: { bytes: Buffer.from(body) }, fieldValidation, schema })).apply(current));
}

test('each form of patch', () => {
  for (const [type, body] of [
    ['json', '[{"op":"replace","path":"/spec/replicas","value":3}]'],
    ['merge', '{"spec":{"replicas":3}}'],
    ['strategic', '{"spec":{"replicas":3}}'],
  ] as const) {
    expect(patch(type, body)).toMatchObject({ object: { spec: { replicas: 3, template: current.spec.template } }, warnings: [] });
  }
  expect(current.spec.replicas).toBe(1);
});

test('numbers are tested as they are written', () => {
  const test = (value: string): unknown => patch('json', `[{"op":"test","path":"/spec/replicas","value":${value}}]`);
  expect(() => test('1')).not.toThrow();
  for (const value of ['1.0', '1e0', '10e-1']) expect(() => test(value)).toThrow('the server rejected our request due to an error in our request');
  expect(() => patch('json', '[{"op":"test","path":"/spec/template/spec/containers/0","value":{"name":"a","resources":{"x":1.0}}}]')).toThrow();
});

test.each([
  ['json', '{', 400, 'error decoding patch: unexpected end of JSON input'],
  ['json', '{}', 400, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['json', '[1]', 400, 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  ['json', '[{"op":1}]', 400, 'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
  ['json', '[{"op":"remove","path":"/x"}]', 422, 'the server rejected our request due to an error in our request'],
  ['json', '[{"op":"remove","path":"/status","foo":1}]', 422, 'strict decoding error: json patch unknown field \\"[0].foo\\"'],
  ['merge', '[]', 400, 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['merge', 'null', 400, 'Invalid JSON Patch'],
  ['merge', '{"spec":{"replicas":"x"}}', 422, 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'],
  ['merge', '{"spec":{"foo":1,"paused":true,"paused":true}}', 422, 'strict decoding error: duplicate field \\"spec.paused\\", unknown field \\"spec.foo\\"'],
  ['merge', '{"spec":{"foo":1,"bar":1,"template":{"spec":{"z":1,"a":1}}}}', 422, 'unknown field \\"spec.bar\\", unknown field \\"spec.foo\\", unknown field \\"spec.template.spec.a\\"'],
  ['strategic', '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}', 422, 'json: cannot unmarshal bool into Go value of type int32'],
  ['merge', '{"kind":"Foo"}', 422, 'no kind \\"Foo\\" is registered for version \\"apps/v1\\"'],
  ['strategic', '[]', 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['strategic', '{"spec":{"replicas":"x"}}', 422, ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32'],
  ['strategic', '{"spec":{"paused":1,"foo":1}}', 422, 'unrecognized type: bool'],
  ['strategic', '{"metadata":{"name":5}}', 422, 'cannot convert int64 to string'],
  ['strategic', '{"kind":true}', 422, 'unrecognized type: string'],
  ['strategic', '{"apiVersion":{}}', 422, 'unrecognized type: string'],
  ['strategic', '{"spec":{"template":[]}}', 422, 'cannot restore struct from: slice'],
] as const)('%s %s is refused', (type, body, code, message) => {
  let thrown: unknown;
  try {
    patch(type, body);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code });
  expect(JSON.stringify((thrown as Error).message)).toContain(JSON.stringify(JSON.parse(`"${message.replace(/(?<!\\)"/g, '\\"')}"`)).slice(1, -1).replace(/\\"([^\\]*)\\"/g, (text) => text));
});

test('a message shows the patch without the directives that were obeyed', () => {
  const body = '{"spec":{"foo":null,"bar":1,"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","image":"x"}]}}}}';
  expect(() => patch('strategic', body)).toThrow('Invalid value: "map[spec:map[bar:1 foo:<nil> template:map[spec:map[]]]]": strict decoding error: unknown field "spec.bar"');
});

test('unknown fields are warnings, or nothing', () => {
  expect(patch('merge', '{"spec":{"foo":1}}', 'Warn').warnings).toEqual(['unknown field "spec.foo"']);
  expect(patch('merge', '{"spec":{"foo":1}}', 'Ignore').warnings).toEqual([]);
  expect(patch('strategic', '{"spec":{"foo":1}}', 'Warn').object.spec).not.toHaveProperty('foo');
});

test('the number of operations is limited', () => {
  const body = JSON.stringify(Array(10_001).fill({ op: 'test', path: '/spec/replicas', value: 1 }));
  expect(() => patch('json', body)).toThrow('The allowed maximum operations in a JSON patch is 10000, got 10001');
});

test('objects without a known type', () => {
  const request = { body: { object: { spec: { a: null, b: [1] } } }, fieldValidation: 'Strict', schema: undefined } as const;
  expect(atOnce(atOnce(preparePatch(codec, { ...request, type: 'merge' })).apply({ kind: 'Foo', apiVersion: 'x/v1', spec: { a: 1 } })).object).toEqual({ kind: 'Foo', apiVersion: 'x/v1', spec: { b: [1] } });
  expect(() => atOnce(preparePatch(codec, { ...request, type: 'strategic' }))).toThrow('strategic merge patch format is not supported');
});

test('an object of no version has no fields', () => {
  const { object, warnings } = patch('merge', '{"apiVersion":null}', 'Warn');
  expect(object).toMatchObject({ kind: 'Deployment', metadata: {} });
  expect((object as { metadata: object }).metadata).not.toHaveProperty('name');
  expect(warnings).toEqual(['unknown field "metadata"', 'unknown field "spec"', 'unknown field "status"']);
  expect(patch('json', '[{"op":"remove","path":"/apiVersion"}]', 'Ignore').warnings).toEqual([]);
  expect(() => patch('json', '[{"op":"remove","path":"/apiVersion"}]')).toThrow('strict decoding error: unknown field "metadata"');
});

test('numbers that are too long for their field: strategic patches lose what is too much, others are refused', () => {
  expect((patch('strategic', '{"spec":{"replicas":4294967299}}').object as { spec: { replicas: number } }).spec.replicas).toBe(3);
  expect(() => patch('merge', '{"spec":{"replicas":4294967299}}')).toThrow('cannot unmarshal number 4294967299');
});

test('what is wrong with a JSON patch, and then with its outcome, in order', () => {
  const body = '[{"op":"add","path":"/zoo","value":{"x":1,"x":2}},{"op":"add","path":"/metadata/zzz","value":1,"more":1},{"op":"add","path":"/foo","value":1}]';
  expect(patch('json', body, 'Warn').warnings).toEqual([
    'json patch duplicate field "[0].value.x"', 'json patch unknown field "[1].more"', 'unknown field "foo"', 'unknown field "metadata.zzz"', 'unknown field "zoo"',
  ]);
});
