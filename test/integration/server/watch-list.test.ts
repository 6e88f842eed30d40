import type { IncomingMessage } from 'node:http';
import { startTestServer, type Json, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

interface Event {
  readonly type: string;
  readonly object: Json;
}

/** The next `count` events of a watch; fewer when it ends. */
async function events(response: IncomingMessage, count: number): Promise<Event[]> {
  const found: Event[] = [];
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    const lines = text.split('\n');
    text = lines.pop()!;
    found.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Event));
    if (found.length >= count) break;
  }
  response.destroy();
  return found;
}

const summary = (all: readonly Event[]): string[] => all.map(({ type, object }) => `${type} ${String(object['metadata']?.['name'] ?? object['reason'])}`);

test('a watch sends the present state, then what happens, entering and leaving the selection included', async () => {
  await t.send('POST', maps('w1'), { body: { metadata: { name: 'a', labels: { on: 'yes' } } } });
  await t.send('POST', maps('w1'), { body: { metadata: { name: 'b' } } });
  const watch = await t.open(`${maps('w1')}?watch=true&labelSelector=on%3Dyes`);
  const seen = events(watch, 5);
  await t.send('PATCH', `${maps('w1')}/b`, { body: { metadata: { labels: { on: 'yes' } } }, headers: MERGE });
  await t.send('PATCH', `${maps('w1')}/b`, { body: { data: { x: 'y' } }, headers: MERGE });
  const left = await t.send('PATCH', `${maps('w1')}/a`, { body: { metadata: { labels: { on: 'no' } } }, headers: MERGE });
  await t.send('DELETE', `${maps('w1')}/b`);
  const all = await seen;
  expect(summary(all)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a', 'DELETED b']);
  // The object as it was while it was selected, at the revision of the change that took it out.
  expect(all[3]!.object['metadata']).toMatchObject({ labels: { on: 'yes' }, resourceVersion: left.body['metadata']!['resourceVersion'] });
});

test('a watch resumes after any revision, and each event is sent once', async () => {
  const first = await t.send('POST', maps('w2'), { body: { metadata: { name: 'r0' } } });
  for (let i = 1; i < 6; i++) await t.send('POST', maps('w2'), { body: { metadata: { name: `r${i}` } } });
  const all = await events(await t.open(`${maps('w2')}?watch=1&resourceVersion=${String(first.body['metadata']!['resourceVersion'])}`), 5);
  expect(summary(all)).toEqual(['ADDED r1', 'ADDED r2', 'ADDED r3', 'ADDED r4', 'ADDED r5']);
});

test('streaming lists end with a bookmark that says so', async () => {
  await t.send('POST', maps('w3'), { body: { metadata: { name: 's' } } });
  const all = await events(await t.open(`${maps('w3')}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`), 2);
  expect(summary(all)).toEqual(['ADDED s', 'BOOKMARK undefined']);
  expect(all[1]!.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: expect.stringMatching(/^\d+$/) as string } });
});

test('a watch ends after timeoutSeconds', async () => {
  const last = await t.send('POST', maps('w4'), { body: { metadata: { name: 'a' } } });
  // It is too short for a bookmark.
  const all = await events(await t.open(`${maps('w4')}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=${String(last.body['metadata']!['resourceVersion'])}`), 1);
  expect(all).toEqual([]);
});

test('pages are of one moment, whatever is written between them', async () => {
  for (let i = 0; i < 7; i++) await t.send('POST', maps('p'), { body: { metadata: { name: `n${i}` } } });
  const first = await t.send('GET', `${maps('p')}?limit=3`);
  expect(first.body['metadata']).toMatchObject({ remainingItemCount: 4 });
  await t.send('DELETE', `${maps('p')}/n4`);
  await t.send('POST', maps('p'), { body: { metadata: { name: 'n9' } } });
  const names: string[] = (first.body['items'] as unknown as readonly Json[]).map((item) => item['metadata']!['name']!);
  let token: string | undefined = first.body['metadata']!['continue'];
  while (token) {
    const page: Json = (await t.send('GET', `${maps('p')}?limit=3&continue=${token}`)).body;
    expect(page['metadata']!['resourceVersion']).toBe(first.body['metadata']!['resourceVersion']);
    names.push(...(page['items'] as unknown as readonly Json[]).map((item) => item['metadata']!['name']!));
    token = page['metadata']!['continue'];
  }
  expect(names).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']);

  const exact = await t.send('GET', `${maps('p')}?resourceVersion=${String(first.body['metadata']!['resourceVersion'])}&resourceVersionMatch=Exact`);
  expect(exact.body['items']).toHaveLength(7);
  const newest = await t.send('GET', `${maps('p')}?resourceVersion=${String(first.body['metadata']!['resourceVersion'])}&resourceVersionMatch=NotOlderThan`);
  expect((newest.body['items'] as unknown as readonly Json[]).map((item) => item['metadata']!['name'])).toContain('n9');
});

test('who takes any state gets all of it, whatever the limit', async () => {
  const list = async (query: string) => {
    const { body } = await t.send('GET', `${maps('p')}?${query}`);
    return { count: (body['items'] as unknown as readonly Json[]).length, more: body['metadata']!['continue'] !== undefined };
  };
  const { count } = await list('');
  expect(count).toBeGreaterThan(1);
  for (const query of ['resourceVersion=0&limit=1', 'resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1']) expect(await list(query)).toEqual({ count, more: false });
  expect(await list('resourceVersion=00&limit=1')).toEqual({ count: 1, more: true });
  const token = String((await t.send('GET', `${maps('p')}?limit=1`)).body['metadata']!['continue']);
  expect(await list(`limit=1&resourceVersion=0&continue=${encodeURIComponent(token)}`)).toEqual({ count: count - 1, more: false });
});

test('a watch that begins with the present state takes no token of a list', async () => {
  for (const query of ['', '&resourceVersion=0']) {
    const refused = await t.send('GET', `${maps('p')}?watch=true&continue=x${query}`);
    expect([refused.code, refused.body['message']]).toEqual([422, 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided']);
  }
});

test('a list of many objects comes in pieces and is whole', async () => {
  const filler = 'x'.repeat(4000);
  for (let i = 0; i < 100; i++) await t.send('POST', maps('big'), { body: { metadata: { name: `b${i}` }, data: { filler } } });
  const plain = await t.send('GET', maps('big'));
  expect(plain.body['items']).toHaveLength(100);
  expect(plain.headers['content-encoding']).toBeUndefined();
  const zipped = await t.send('GET', maps('big'), { headers: { 'accept-encoding': 'gzip' } });
  expect(zipped.headers['content-encoding']).toBe('gzip');
});

test.each([
  ['limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ['resourceVersion=abc', 400, 'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
  ['labelSelector=a+b+c', 400, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['fieldSelector=foo%3Dbar', 400, '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['resourceVersionMatch=Exact', 422, 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'],
  ['sendInitialEvents=true', 422, 'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ['continue=abc', 400, "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"],
])('list with %s', async (query, code, message) => {
  const answer = await t.send('GET', `${maps('default')}?${query}`);
  expect([answer.code, answer.body['message']]).toEqual([code, message]);
});

test('a revision of the future is a timeout with its cause', async () => {
  const answer = await t.send('GET', `${maps('default')}?resourceVersion=99999999`);
  expect(answer.body).toMatchObject({ code: 504, reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] } });
});

test('tables and metadata alone', async () => {
  await t.send('POST', maps('tab'), { body: { metadata: { name: 'x', labels: { l: '1' } }, data: { k: 'v' } } });
  const table = (await t.send('GET', maps('tab'), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' } })).body;
  expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [{ object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'x', labels: { l: '1' } } } }] });
  expect(table['columnDefinitions']![0]).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 });
  const none = (await t.send('GET', `${maps('tab')}?includeObject=None`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })).body;
  expect(none['rows']![0]!['object']).toBeNull();
  const metadata = (await t.send('GET', `${maps('tab')}`, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } })).body;
  expect(metadata).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'x' } }] });
  expect((metadata['items']![0] as Json)['data']).toBeUndefined();
  const refused = await t.send('GET', `${maps('tab')}/x`, { headers: { accept: 'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io' } });
  expect(refused.code).toBe(406);
  const either = await t.send('GET', `${maps('tab')}/x`, { headers: { accept: 'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json' } });
  expect(either.body).toMatchObject({ kind: 'ConfigMap' });
  const yaml = await t.send('GET', `${maps('tab')}/x`, { headers: { accept: 'application/yaml' } });
  expect(yaml.text).toContain('kind: ConfigMap\nmetadata:\n');
});
