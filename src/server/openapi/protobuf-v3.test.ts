import { OpenApi } from './openapi.js';
import { openApiV3Protobuf, type OpenApiV3 } from './protobuf-v3.js';

const V3 = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const hex = async (document: OpenApiV3): Promise<string> => Buffer.concat(await openApiV3Protobuf(document)).toString('hex');

test('schemas: references, default values, bounds, lists', async () => {
  const schemas = {
    A: {
      type: 'object',
      properties: { a: { allOf: [{ $ref: '#/x' }], default: {} }, b: { type: 'integer', minimum: 1, maxLength: 5, default: 3 }, c: { type: 'array', items: { type: 'string', default: '' } } },
      additionalProperties: false,
    },
  };
  const text = await hex({ components: { schemas } });
  // `$ref` is a reference, `{}` only says that there is a default, 3 is a number, `""` a text.
  expect(text).toContain('d2010712050a03' + Buffer.from('#/x').toString('hex') + '8a0200');
  expect(text).toContain('8a0209090000000000000840');
  expect(text).toContain('69000000000000f03f7805');
  expect(text).toContain('ca0106737472696e678a02021a00');
  expect(text).toContain('8202021000');
});

test('the answer of the default response stands apart', async () => {
  const text = await hex({ paths: { '/x': { get: { responses: { 200: { description: 'ok' }, default: { description: 'no' } } } } } });
  expect(text).toContain('0a060a040a026e6f' + '120d0a03323030' + '12060a040a026f6b');
});

test('group versions in both forms; the index is for everybody', async () => {
  const openApi = new OpenApi();
  const get = (path: string, accept: string, query = '') => openApi.handle(path, new URLSearchParams(query), { accept });
  expect(await get('/openapi/v3', 'text/html')).toMatchObject({ status: 200 });
  expect(await get('/openapi/v3/version', 'text/html')).toMatchObject({ status: 406, bytes: Buffer.alloc(0) });
  const both = await get('/openapi/v3/version', `text/html,${V3}`);
  expect(both).toMatchObject({ status: 200, headers: { 'Content-Type': V3 } });
  expect(both!.bytes.subarray(0, 7).toString('latin1')).toBe('\n\u00053.0.0');
  expect(await get('/openapi/v3/version', V3, 'hash=x')).toMatchObject({ status: 301, headers: { 'Content-Type': V3 } });
  expect(await get('/openapi/v3/version', `${V3};q=0.5,application/json`)).toMatchObject({ headers: { 'Content-Type': 'application/json' } });
});
