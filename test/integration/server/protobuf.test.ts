import { Codec } from '../../../src/api/codec/codec.js';
import { protobufEnvelope } from '../../../src/api/codec/encode-protobuf.js';
import { parseApiVersion, type GroupVersionKind } from '../../../src/api/meta/object.js';
import { startTestServer, type SendOptions, type TestServer } from './harness.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const maps = '/api/v1/namespaces/default/configmaps';
const codec = new Codec();

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const kindOf = (apiVersion: string, kind: string): GroupVersionKind => ({ ...parseApiVersion(apiVersion)!, kind });
const accepting = (accept: string, more: SendOptions = {}): SendOptions => ({ ...more, headers: { accept, ...more.headers } });

function encoded(apiVersion: string, kind: string, object: object): SendOptions {
  const type = kindOf(apiVersion, kind);
  return { body: protobufEnvelope(type, codec.protobufMessage(object, codec.schemas.kind(type)!)), headers: { 'content-type': PROTOBUF } };
}

/** What an answer in protobuf says. */
function decoded(bytes: Buffer): unknown {
  const { value } = codec.decodeProtobuf(bytes, kindOf('v1', ''));
  const type = codec.schemas.kind(kindOf((value as { apiVersion: string }).apiVersion, (value as { kind: string }).kind));
  return type ? codec.check({ value }, type, { strict: false }).object : value;
}

test('objects in and out, delete options, errors', async () => {
  const created = await t.send('POST', maps, accepting(PROTOBUF, encoded('v1', 'ConfigMap', { metadata: { name: 'pb', labels: { x: '1' } }, data: { k: 'v' }, binaryData: { e: '' } })));
  expect([created.code, created.headers['content-type']]).toEqual([201, PROTOBUF]);
  const json = await t.send('GET', `${maps}/pb`);
  expect(json.body).toMatchObject({ metadata: { name: 'pb', labels: { x: '1' } }, data: { k: 'v' }, binaryData: { e: '' } });
  expect(decoded(created.bytes)).toEqual(json.body);
  expect((await t.send('GET', `${maps}/pb`, accepting(PROTOBUF))).bytes.equals(created.bytes)).toBe(true);

  const stale = await t.send('DELETE', `${maps}/pb`, accepting(PROTOBUF, encoded('v1', 'DeleteOptions', { preconditions: { uid: 'other' } })));
  expect([stale.code, stale.headers['content-type']]).toEqual([409, PROTOBUF]);
  expect(decoded(stale.bytes)).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Conflict', code: 409, details: { name: 'pb' } });
  const deleted = await t.send('DELETE', `${maps}/pb`, accepting(PROTOBUF, encoded('v1', 'DeleteOptions', { gracePeriodSeconds: 0, propagationPolicy: 'Background' })));
  expect(decoded(deleted.bytes)).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'pb' } });
});

test('errors in what the client accepts', async () => {
  const yaml = await t.send('GET', `${maps}/nope`, accepting('application/yaml'));
  expect([yaml.code, yaml.headers['content-type'], yaml.text.split('\n')[0]]).toEqual([404, 'application/yaml', 'apiVersion: v1']);
  const table = await t.send('GET', `${maps}/nope`, accepting('application/json;as=Table;v=v1;g=meta.k8s.io'));
  expect(table.text).toBe(JSON.stringify(table.body, undefined, 2));
  const none = await t.send('GET', maps, accepting('text/html'));
  expect([none.code, none.headers['content-type']]).toEqual([406, 'application/json']);
  const unknown = await t.send('POST', maps, { body: '{}', headers: { 'content-type': 'text/plain' } });
  expect(unknown.body).toMatchObject({ code: 415, message: 'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf' });
  const empty = await t.send('POST', maps, { body: Buffer.from('k8s\0'), headers: { 'content-type': PROTOBUF } });
  expect(empty.body['message']).toBe('the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)');
});

test('lists, small and in pieces, whole and of metadata alone', async () => {
  const path = '/api/v1/namespaces/lists/secrets';
  const empty = await t.send('GET', path, accepting(PROTOBUF));
  expect(decoded(empty.bytes)).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
  for (let i = 0; i < 40; i++) await t.send('POST', path, { body: { metadata: { name: `s${i}`, annotations: { text: 'ä'.repeat(1000) } }, stringData: { value: `${i}`.repeat(10_000) } } });
  const json = await t.send('GET', path);
  for (let round = 0; round < 2; round++) {
    const list = await t.send('GET', path, accepting(PROTOBUF));
    const { items, metadata } = decoded(list.bytes) as { readonly items: readonly object[]; readonly metadata: object };
    expect(items).toEqual(json.body['items']);
    expect(metadata).toEqual(json.body['metadata']);
  }
  const page = decoded((await t.send('GET', `${path}?limit=3`, accepting(PROTOBUF))).bytes);
  expect(page).toMatchObject({ metadata: { remainingItemCount: 37 } });
  for (const version of ['v1', 'v1beta1']) {
    const partial = await t.send('GET', path, accepting(`${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=${version}`));
    expect(partial.bytes.toString('latin1')).toContain(`meta.k8s.io/${version}\x12\x19PartialObjectMetadataList`);
    // Forty objects with annotations of 2,000 bytes, without their 10,000 bytes of data.
    expect(partial.bytes.length).toBeLessThan(40 * 2300);
  }
});

/** The events of a watch in protobuf: length, then type and object. */
function* events(bytes: Buffer): Generator<readonly [string, unknown]> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const typeEnd = at + 6 + bytes[at + 5]!;
    expect([bytes[at + 4], bytes[typeEnd]]).toEqual([0x0a, 0x12]);
    yield [bytes.toString('latin1', at + 6, typeEnd), decoded(bytes.subarray(bytes.indexOf('k8s\0', typeEnd), end))];
    at = end;
  }
}

test('watches', async () => {
  const first = await t.send('POST', '/api/v1/namespaces/watched/configmaps', { body: { metadata: { name: 'w' }, data: { a: '1' } } });
  const response = await t.open('/api/v1/namespaces/watched/configmaps?watch=1&timeoutSeconds=3&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', accepting(PROTOBUF));
  expect(response.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
  const second = await t.send('PUT', '/api/v1/namespaces/watched/configmaps/w', { body: { ...first.body, data: { a: '2' } } });
  await t.send('DELETE', '/api/v1/namespaces/watched/configmaps/w');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const seen = [...events(Buffer.concat(chunks))];
  expect(seen.map(([type]) => type)).toEqual(['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED', 'BOOKMARK']);
  expect(seen[0]![1]).toEqual(first.body);
  expect(seen[1]![1]).toMatchObject({ kind: 'ConfigMap', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } });
  expect(seen[2]![1]).toEqual(second.body);
});

test('watches of metadata alone, and those that YAML cannot frame', async () => {
  await t.send('POST', '/api/v1/namespaces/meta/configmaps', { body: { metadata: { name: 'w', labels: { l: 'x' } }, data: { a: '1' } } });
  const watch = '/api/v1/namespaces/meta/configmaps?watch=1&timeoutSeconds=1';
  const metadata = await t.send('GET', watch, accepting(PROTOBUF + METADATA));
  expect(metadata.bytes.toString('latin1')).toContain('PartialObjectMetadata');
  expect(metadata.bytes.includes('ConfigMap')).toBe(false);
  const yaml = await t.send('GET', watch, accepting('application/yaml'));
  expect(yaml.code).toBe(406);
  expect(yaml.text).toContain('application/json;stream=watch');
  const json = await t.send('GET', watch, accepting(`application/json${METADATA}`));
  expect(JSON.parse(json.text)).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'w', labels: { l: 'x' } } } });
});

test('reviews, scales and discovery', async () => {
  await t.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
    body: { metadata: { name: 'd' }, spec: { replicas: 3, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } } },
  });
  const scale = await t.send('GET', '/apis/apps/v1/namespaces/default/deployments/d/scale', accepting(PROTOBUF));
  expect(decoded(scale.bytes)).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 3 }, status: { selector: 'a=b' } });
  const resources = decoded((await t.send('GET', '/apis/apps/v1', accepting(PROTOBUF))).bytes) as { readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[] };
  const { resources: plain } = (await t.send('GET', '/apis/apps/v1')).body as unknown as typeof resources;
  expect(resources.resources.map(({ name, verbs }) => [name, verbs])).toEqual(plain.map(({ name, verbs }) => [name, verbs]));
  expect((await t.send('GET', '/version', accepting(PROTOBUF))).code).toBe(406);
});
