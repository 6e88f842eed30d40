import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { ProtobufReader } from '../../api/codec/protobuf-reader.js';
import type { DocumentResponse } from '../discovery/document.js';
import { OpenApi } from './openapi.js';
import { headOf } from './protobuf-entries.js';
import { V2_DEFINITIONS_FIELD, V2_PATHS_FIELD, V2_PROTOBUF } from './protobuf-v2.js';

const openApi = new OpenApi();
const get = async (path: string, accept = '', more: { ifNoneMatch?: string; acceptEncoding?: string } = {}) => {
  const url = new URL(path, 'http://x');
  return whole(await openApi.handle(url.pathname, url.searchParams, { accept, ...more }));
};

/** With the bytes of answers that come in pieces. */
async function whole(response: DocumentResponse | undefined): Promise<DocumentResponse | undefined> {
  if (response?.chunks === undefined) return response;
  const chunks: Buffer[] = [];
  for await (const chunk of response.chunks) chunks.push(chunk);
  return { ...response, bytes: Buffer.concat(chunks) };
}

interface Index {
  readonly paths: Record<string, { readonly serverRelativeURL: string }>;
}

interface V3 {
  readonly paths: Record<string, Record<string, { readonly operationId?: string; readonly parameters?: { readonly name: string }[] }>>;
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, Record<string, unknown>>; readonly 'x-kubernetes-group-version-kind'?: unknown }> };
}

test('every document of the index is there, and its hash is that of its text', async () => {
  const index = JSON.parse((await get('/openapi/v3'))!.bytes.toString()) as Index;
  expect(Object.keys(index.paths)).toEqual(expect.arrayContaining(['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'apis/autoscaling/v2', 'version']));
  for (const { serverRelativeURL } of Object.values(index.paths)) {
    const response = (await get(serverRelativeURL))!;
    expect([response.status, response.headers['Cache-Control']]).toEqual([200, expect.stringContaining('immutable')]);
    expect(serverRelativeURL).toContain(createHash('sha512').update(response.bytes).digest('hex').toUpperCase());
    const document = JSON.parse(response.bytes.toString()) as V3;
    const names = [...response.bytes.toString().matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(names.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  }
});

test('a group version says what clients rely on', async () => {
  const { paths, components } = JSON.parse((await get('/openapi/v3/apis/apps/v1'))!.bytes.toString()) as V3;
  const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']!.patch!;
  expect(patch.operationId).toBe('patchAppsV1NamespacedDeployment');
  expect(patch.parameters!.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  const podSpec = components.schemas['io.k8s.api.core.v1.PodSpec']!;
  expect(podSpec.properties.containers).toMatchObject({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' });
  expect(podSpec.properties.restartPolicy!.enum).toEqual(['Always', 'Never', 'OnFailure']);
  expect(components.schemas['io.k8s.api.core.v1.ContainerPort']!.properties.protocol!.default).toBe('TCP');
  expect(components.schemas['io.k8s.api.apps.v1.Deployment']!['x-kubernetes-group-version-kind']).toEqual([{ group: 'apps', kind: 'Deployment', version: 'v1' }]);
});

test('a field that holds an object has a text of its own, not the beginning of its type\'s', async () => {
  const { schemas } = (JSON.parse((await get('/openapi/v3/api/v1'))!.bytes.toString()) as V3).components;
  const pairs = Object.values(schemas).flatMap(({ properties = {} }) => Object.values(properties).flatMap(({ allOf, description }) => (allOf ? [[description as string | undefined, described(allOf)] as const] : [])));
  expect(pairs.length).toBeGreaterThan(200);
  expect(pairs.filter(([own, types]) => !own || types?.startsWith(own))).toEqual([]);
  // Nothing stands beside the reference of a field of which nothing is said.
  const { JSONSchemaProps } = await schemasOf('/openapi/v3/apis/apiextensions.k8s.io/v1');
  expect(JSONSchemaProps!.properties.externalDocs).toEqual({ $ref: expect.stringContaining('ExternalDocumentation') });

  function described(allOf: unknown): string | undefined {
    return (schemas[(allOf as { $ref: string }[])[0]!.$ref.split('/').pop()!] as { description?: string }).description;
  }
});

/** By their kind. */
async function schemasOf(path: string): Promise<V3['components']['schemas']> {
  const { schemas } = (JSON.parse((await get(path))!.bytes.toString()) as V3).components;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name.split('.').pop()!, schema]));
}

test('version 2 is whole', async () => {
  const text = (await get('/openapi/v2', 'application/json'))!.bytes.toString();
  const document = JSON.parse(text) as { swagger: string; definitions: object; parameters: object };
  expect(document.swagger).toBe('2.0');
  for (const [, kind, name] of text.matchAll(/"\$ref":"#\/(definitions|parameters)\/([^"]+)"/g)) expect(document[kind as 'definitions' | 'parameters']).toHaveProperty([name!]);
});

test('version 2 in protobuf says the same', async () => {
  const response = (await get('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'))!;
  expect([response.status, response.headers['Content-Type']]).toEqual([200, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf']);
  const json = JSON.parse((await get('/openapi/v2', 'application/json'))!.bytes.toString()) as { readonly paths: object; readonly definitions: object };
  const document = messageOf(response.bytes);
  expect(text(document, 1)).toBe('2.0');
  expect(named(messageOf(bytes(document, 8)), 2)).toEqual(Object.keys(json.paths));
  expect(named(messageOf(bytes(document, 9)), 1)).toEqual(Object.keys(json.definitions));
});

test('the shapes of schemas and parameters in protobuf', async () => {
  const definitions = { A: { type: 'object', required: ['x-y'], properties: { 'x-y': { $ref: '#/definitions/B' } }, additionalProperties: false, 'x-kind': [{ a: 'b' }] } };
  const paths = { '/a': { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/A' } } } }, parameters: [{ name: 'q', in: 'query', type: 'string', uniqueItems: true }] } };
  const [pathsPart, definitionsPart] = [await V2_PROTOBUF.paths(paths), await V2_PROTOBUF.schemas(definitions)];
  const document = messageOf(Buffer.concat([headOf(V2_PATHS_FIELD, [pathsPart]), pathsPart, headOf(V2_DEFINITIONS_FIELD, [definitionsPart]), definitionsPart]));
  const schema = messageOf(bytes(messageOf(bytes(messageOf(bytes(document, 9)), 1)), 2));
  expect([...schema.keys()]).toEqual([19, 21, 22, 25, 31]);
  expect(bytes(schema, 21).toString('hex')).toBe('1000');
  expect(named(messageOf(bytes(schema, 25)), 1)).toEqual(['x-y']);
  expect(text(messageOf(bytes(messageOf(bytes(schema, 31)), 2)), 2)).toBe('- a: b\n');
  const path = messageOf(bytes(messageOf(bytes(messageOf(bytes(document, 8)), 2)), 2));
  const parameter = [1, 2, 3].reduce((message, number) => messageOf(bytes(message, number)), messageOf(bytes(path, 9)));
  expect([text(parameter, 2), text(parameter, 4), text(parameter, 6), parameter.get(20)]).toEqual(['query', 'q', 'string', [1]]);
});

type Message = ReadonlyMap<number, readonly (Buffer | number)[]>;

function messageOf(encoded: Buffer): Message {
  const fields = new Map<number, (Buffer | number)[]>();
  for (const reader = ProtobufReader.of(encoded); reader.next(); ) {
    const value = reader.wireType === 2 ? reader.buffer() : reader.integer();
    fields.set(reader.number, [...(fields.get(reader.number) ?? []), value]);
  }
  return fields;
}

const bytes = (message: Message, number: number): Buffer => message.get(number)![0] as Buffer;
const text = (message: Message, number: number): string => bytes(message, number).toString();
const named = (message: Message, number: number): string[] => message.get(number)!.map((entry) => text(messageOf(entry as Buffer), 1));

test('what the client has is not sent again; the compressed text is the same text', async () => {
  const zipped = (await get('/openapi/v3/api/v1', '', { acceptEncoding: 'gzip, deflate' }))!;
  expect(zipped.headers['Content-Encoding']).toBe('gzip');
  expect(gunzipSync(zipped.bytes).equals((await get('/openapi/v3/api/v1'))!.bytes)).toBe(true);
  for (const ifNoneMatch of [zipped.headers.ETag!, `W/${zipped.headers.ETag}`, `"a", ${zipped.headers.ETag}`, '*']) {
    const again = (await get('/openapi/v3/api/v1', '', { ifNoneMatch }))!;
    expect([again.status, again.headers['Content-Type']]).toEqual([304, undefined]);
    expect((await get('/openapi/v2', '', { ifNoneMatch }))!.status).toBe(ifNoneMatch === '*' ? 304 : 200);
  }
  expect(await get('/openapi/v3')).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  expect(await get('/openapi/v3', '', { ifNoneMatch: '*' })).toMatchObject({ status: 304, headers: {} });
});

test('addresses', async () => {
  const moved = (await get('/openapi/v3/apis/apps/v1?hash=OLD'))!;
  expect([moved.status, moved.headers.Location]).toEqual([301, expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)]);
  expect(moved.headers).toMatchObject({ ETag: expect.any(String), Vary: 'Accept', 'Content-Type': 'application/json' });
  for (const path of ['/openapi/v3/apis/nope/v1', '/openapi/v3/', '/openapi/v3/apis/apps/v1/']) expect(await get(path)).toMatchObject({ status: 404, headers: {}, bytes: Buffer.alloc(0) });
  expect(await get('/openapi/v2/')).toBeUndefined();
  expect(await get('/openapi/v4')).toBeUndefined();
  expect(await get('/openapi/v2', 'text/html')).toMatchObject({ status: 406, headers: { Vary: 'Accept-Encoding, Accept' } });
  expect((await get('/openapi/v2', '*/json;q=0.5, text/*'))!.headers['Content-Type']).toBe('application/json');
  expect((await get('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf, application/json'))!.status).toBe(200);
});

test('documents come and go at run time', async () => {
  const own = new OpenApi();
  const index = async () => (await own.handle('/openapi/v3', new URLSearchParams(), { accept: '' }))!;
  const before = await index();
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', nullable: true } } } } } };
  own.publish('widgets.example.com', {
    metadata: { name: 'widgets.example.com', uid: 'u', generation: 1 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    status: { acceptedNames: names },
  });
  const with1 = await index();
  expect(with1.bytes.toString()).toContain('/openapi/v3/apis/example.com/v1?hash=');
  expect((await own.handle('/openapi/v3/apis/example.com/v1', new URLSearchParams(), { accept: '' }))!.status).toBe(200);
  const all = JSON.parse((await whole(await own.handle('/openapi/v2', new URLSearchParams(), { accept: '' })))!.bytes.toString()) as { paths: object; definitions: Record<string, unknown> };
  expect(Object.keys(all.paths)).toEqual(expect.arrayContaining(['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}', '/apis/apps/v1/deployments']));
  // Version 2 cannot say that null is allowed.
  expect(all.definitions['com.example.v1.Widget']).toMatchObject({ properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }, spec: { properties: { size: {} } } } });
  own.publish('widgets.example.com', undefined);
  expect((await index()).bytes.equals(before.bytes)).toBe(true);
});
