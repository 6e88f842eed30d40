import { gunzipSync } from 'node:zlib';
import { ProtobufReader } from '../../api/codec/protobuf-reader.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { CustomDocuments } from './custom-documents.js';
import { V2_JSON, V3_JSON } from './document-form.js';
import { OpenApi } from './openapi.js';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

function definition(plural: string, description = ''): V1CustomResourceDefinition {
  const kind = plural.toUpperCase();
  const names = { plural, singular: plural, kind, listKind: `${kind}List` };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', description, properties: { size: { type: 'integer', default: 3 } } } } } };
  return {
    metadata: { name: `${plural}.example.com`, uid: plural, generation: description.length },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    status: { acceptedNames: names },
  };
}

test('what one definition says is made anew when it changes, all else stays', async () => {
  const documents = new CustomDocuments();
  for (const plural of ['as', 'bs', 'cs']) documents.set(plural, definition(plural));
  const before = await documents.fragments(V2_JSON);
  documents.set('bs', definition('bs', 'changed'));
  const after = await documents.fragments(V2_JSON);
  expect(after.map((fragment, i) => fragment === before[i])).toEqual([true, false, true]);
  expect(await documents.fragments(V3_JSON, 'apis/example.com/v1')).toHaveLength(3);
  expect(await documents.fragments(V3_JSON, 'apis/example.com/v2')).toEqual([]);
});

test('the documents say the same in both encodings, before and after a change', async () => {
  const openApi = new OpenApi();
  for (const plural of ['as', 'bs']) openApi.publish(plural, definition(plural));
  const get = async (path: string, accept = 'application/json'): Promise<Buffer> => {
    const { bytes } = (await openApi.handle(path, new URLSearchParams(), { accept, acceptEncoding: 'gzip' }))!;
    return gunzipSync(bytes);
  };
  for (const text of ['', 'changed']) {
    openApi.publish('bs', definition('bs', text));
    const v2 = JSON.parse((await get('/openapi/v2')).toString()) as { paths: object; definitions: Record<string, { properties?: Record<string, unknown> }> };
    expect(v2.definitions['com.example.v1.BS']!.properties!['spec']).toMatchObject({ description: text });
    const v2Fields = fieldsOf(await get('/openapi/v2', V2_PROTOBUF));
    expect(keysOf(v2Fields.get(8)![0]!, 2)).toEqual(Object.keys(v2.paths).sort());
    expect(keysOf(v2Fields.get(9)![0]!, 1)).toEqual(Object.keys(v2.definitions).sort());
    const v3 = JSON.parse((await get('/openapi/v3/apis/example.com/v1')).toString()) as { openapi: string; paths: object; components: { schemas: Record<string, unknown> } };
    expect(v3.openapi).toBe('3.0.0');
    expect(v3.components.schemas['com.example.v1.BS']).toMatchObject({ properties: { spec: { description: text } } });
    const v3Fields = fieldsOf(await get('/openapi/v3/apis/example.com/v1', V3_PROTOBUF));
    expect(v3Fields.get(1)![0]!.toString()).toBe('3.0.0');
    expect(keysOf(v3Fields.get(4)![0]!, 1)).toEqual(Object.keys(v3.paths).sort());
    expect(keysOf(fieldsOf(v3Fields.get(5)![0]!).get(1)![0]!, 1)).toEqual(Object.keys(v3.components.schemas).sort());
  }
});

test('operations are described as upstream describes those of custom kinds', async () => {
  const openApi = new OpenApi();
  const scaled = definition('as');
  openApi.publish('as', { ...scaled, spec: { ...scaled.spec, versions: [{ ...scaled.spec.versions[0]!, subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } } }] } });
  openApi.publish('bs', { ...definition('bs'), spec: { ...definition('bs').spec, group: 'other.com' } });
  interface Described {
    readonly parameters?: readonly { readonly name: string }[];
    readonly requestBody?: { readonly content: object };
    readonly responses: Readonly<Record<string, { readonly content?: object }>>;
    readonly 'x-kubernetes-group-version-kind': object;
  }
  const read = async (path: string) => JSON.parse((await openApi.handle(path, new URLSearchParams(), { accept: '' }))!.bytes.toString()) as { paths: Record<string, Record<string, Described>>; components: { schemas: object } };
  const { paths, components } = await read('/openapi/v3/apis/example.com/v1');
  const collection = '/apis/example.com/v1/namespaces/{namespace}/as';
  expect(Object.keys(paths)).toEqual(['/apis/example.com/v1/as', collection, `${collection}/{name}`, `${collection}/{name}/scale`]);
  const types = ['application/json', 'application/yaml'];
  const { get, post, delete: remove } = paths[collection]!;
  expect(Object.keys(get!.responses['200']!.content!)).toEqual(types);
  expect(Object.keys(post!.requestBody!.content)).toEqual(types);
  expect([remove!.requestBody, remove!.parameters!.map(({ name }) => name)]).toEqual([undefined, get!.parameters!.map(({ name }) => name)]);
  const item = paths[`${collection}/{name}`]!;
  expect(item['get']!.parameters!.map(({ name }) => name)).toEqual(['resourceVersion']);
  expect(Object.keys(item['delete']!.requestBody!.content)).toEqual(types);
  expect(Object.keys(item['patch']!.responses)).toEqual(['200', '401']);
  expect(paths[`${collection}/{name}/scale`]!['get']!['x-kubernetes-group-version-kind']).toEqual({ group: 'example.com', version: 'v1', kind: 'AS' });
  // Only what is referred to is there, and all of it.
  for (const [, name] of JSON.stringify({ paths, components }).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(components.schemas).toHaveProperty([name!]);
  const names = async (path: string): Promise<string> => Object.keys((await read(path)).components.schemas).join();
  expect([await names('/openapi/v3/apis/example.com/v1'), await names('/openapi/v3/apis/other.com/v1')]).toEqual([expect.stringContaining('.Scale'), expect.not.stringContaining('.Scale')]);
  expect(Object.keys(components.schemas).join()).not.toContain('APIResource');
});

test('a long document comes in pieces to those who want it plain', async () => {
  const openApi = new OpenApi();
  openApi.publish('as', definition('as'));
  const { chunks, headers } = (await openApi.handle('/openapi/v2', new URLSearchParams(), { accept: 'application/json' }))!;
  const pieces: Buffer[] = [];
  for await (const chunk of chunks!) pieces.push(chunk);
  expect(pieces.length).toBeGreaterThan(5);
  const text = Buffer.concat(pieces);
  expect(headers['Content-Length']).toBe(String(text.length));
  expect(JSON.parse(text.toString())).toMatchObject({ swagger: '2.0' });
});

function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  for (const reader = ProtobufReader.of(message); reader.next(); ) fields.set(reader.number, [...(fields.get(reader.number) ?? []), reader.buffer()]);
  return fields;
}

/** The names of the entries that stand in a field of a message. */
function keysOf(message: Buffer, number: number): string[] {
  return fieldsOf(message).get(number)!.map((entry) => fieldsOf(entry).get(1)![0]!.toString()).sort();
}
