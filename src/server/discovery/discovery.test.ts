import { gunzipSync } from 'node:zlib';
import { RESOURCES } from '../../api/facts/resources.js';
import { Discovery } from './discovery.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const discovery = new Discovery({ serverAddress: () => '10.0.0.1:6443' });
discovery.setResources(RESOURCES);

async function get(path: string, accept = '') {
  const response = await discovery.handle(path, { accept });
  return JSON.parse(response!.bytes.toString()) as Record<string, unknown>;
}

test('the plain documents', async () => {
  expect(await get('/api')).toEqual({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' }] });
  const apis = (await get('/apis/')) as { groups: { name: string; preferredVersion: { version: string } }[] };
  expect(apis.groups.find(({ name }) => name === 'autoscaling')?.preferredVersion.version).toBe('v2');
  expect(apis.groups.map(({ name }) => name)).not.toContain('');
  expect(await get('/apis/autoscaling')).toMatchObject({ kind: 'APIGroup', versions: [{ groupVersion: 'autoscaling/v2' }, { groupVersion: 'autoscaling/v1' }] });
  const core = (await get('/api/v1')) as { groupVersion: string; resources: Record<string, unknown>[] };
  expect(core.groupVersion).toBe('v1');
  expect(core.resources.find(({ name }) => name === 'configmaps')).toEqual({
    name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', shortNames: ['cm'],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'], storageVersionHash: 'qFsyl6wFWjQ=',
  });
  expect(core.resources.find(({ name }) => name === 'pods/eviction')).toEqual({ name: 'pods/eviction', singularName: '', namespaced: true, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] });
});

test('the aggregated documents', async () => {
  const accept = `${AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
  const response = (await discovery.handle('/apis', { accept }))!;
  expect(response.headers['Content-Type']).toBe(AGGREGATED);
  expect(JSON.parse(response.bytes.toString())).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
  expect(await get('/api', accept)).toMatchObject({ items: [{ metadata: {}, versions: [{ version: 'v1', freshness: 'Current' }] }] });
  for (const [path, kind] of [['/apis/apps', 'APIGroup'], ['/apis/', 'APIGroupList']] as const) expect(await get(path, accept)).toMatchObject({ kind });
  for (const [path, kind] of [['/apis/apps//', 'APIGroup'], ['/apis/apps/v1//', 'APIResourceList'], ['/api//', 'APIVersions']] as const) expect(await get(path)).toMatchObject({ kind });
  expect(await discovery.handle('/apis//', { accept: '' })).toBeUndefined();
  expect(await get('/api/', accept)).toMatchObject({ kind: 'APIGroupDiscoveryList' });
});

test('the aggregated form is not sent again to whoever has it; the plain ones cannot be kept', async () => {
  const first = (await discovery.handle('/apis', { accept: AGGREGATED, acceptEncoding: 'gzip' }))!;
  expect(first.headers).toEqual({ 'Content-Type': AGGREGATED, ETag: expect.stringMatching(/^"[0-9A-F]{128}"$/), Vary: 'Accept', 'Cache-Control': 'public' });
  const again = (await discovery.handle('/apis', { accept: AGGREGATED, ifNoneMatch: first.headers.ETag! }))!;
  expect([again.status, again.bytes.length, again.headers['Content-Type']]).toEqual([304, 0, undefined]);
  // Only these words are understood.
  for (const ifNoneMatch of ['*', `W/${first.headers.ETag}`, `"a", ${first.headers.ETag}`]) expect((await discovery.handle('/apis', { accept: AGGREGATED, ifNoneMatch }))!.status).toBe(200);
  for (const path of ['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1']) expect((await discovery.handle(path, { accept: '', ifNoneMatch: '*' }))!).toMatchObject({ status: 200, headers: { 'Content-Type': 'application/json' } });
  expect(Object.keys((await discovery.handle('/apis/apps/v1', { accept: '' }))!.headers)).toEqual(['Content-Type']);
});

test('long documents are compressed on demand', async () => {
  const many = new Discovery({ serverAddress: () => 'x' });
  many.setResources(Array.from({ length: 2000 }, (_, i) => ({ group: `g${i}.example.com`, version: 'v1', resource: 'foos', singular: 'foo', kind: 'Foo', namespaced: true, verbs: ['get'] })));
  const zipped = (await many.handle('/apis', { accept: AGGREGATED, acceptEncoding: 'gzip' }))!;
  expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept, Accept-Encoding' });
  expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toMatchObject({ kind: 'APIGroupDiscoveryList' });
});

test('the aggregated form in protobuf', async () => {
  const own = new Discovery({ serverAddress: () => 'x', encoder: { toYaml: () => Buffer.alloc(0), toProtobuf: () => Buffer.alloc(0) } });
  own.setResources([{
    group: 'a.io', version: 'v1', resource: 'foos', singular: 'foo', kind: 'Foo', namespaced: true, verbs: ['get'], shortNames: ['f'], storageVersion: 'v1',
    subresources: [{ name: 'status', kind: 'Foo', verbs: ['get'] }],
  }]);
  const accept = AGGREGATED.replace('json', 'vnd.kubernetes.protobuf');
  const answer = (await own.handle('/apis', { accept: `${accept},${AGGREGATED}` }))!;
  expect(answer.headers).toMatchObject({ 'Content-Type': accept, ETag: (await own.handle('/apis', { accept: AGGREGATED }))!.headers.ETag });
  // As upstream's generated code writes it: what is held by value is there though it is empty.
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  const message = (number: number, ...content: string[]): string => `${((number << 3) | 2).toString(16).padStart(2, '0')}${(content.join('').length / 2).toString(16).padStart(2, '0')}${content.join('')}`;
  const kind = message(2, message(1, hex('a.io')), message(2, hex('v1')), message(3, hex('Foo')));
  const resource = message(2, message(1, hex('foos')), kind, message(3, hex('Namespaced')), message(4, hex('foo')), message(5, hex('get')), message(6, hex('f')),
    message(8, message(1, hex('status')), kind, message(4, hex('get'))));
  const metadata = message(1, message(1, hex('a.io')), message(2), message(3), message(4), message(5), message(6), '3800', message(8));
  const list = `${message(1, message(1), message(2), message(3))}12${varint(metadata, message(2, message(1, hex('v1')), resource, message(3, hex('Current'))))}`;
  expect(answer.bytes.toString('hex')).toContain(list);
  expect(answer.bytes.subarray(0, 4).toString()).toBe('k8s\0');

  function varint(...content: string[]): string {
    const length = content.join('').length / 2;
    return `${length < 128 ? length.toString(16).padStart(2, '0') : Buffer.from([(length & 127) | 128, length >> 7]).toString('hex')}${content.join('')}`;
  }
});

test('JSON is indented for people', async () => {
  expect((await discovery.handle('/apis/apps', { accept: '', pretty: true }))!.bytes.toString()).toContain('{\n  "kind": "APIGroup",\n');
  expect((await discovery.handle('/apis/apps', { accept: 'application/json;pretty=1' }))!.bytes.toString()).toContain('\n  "kind"');
  expect((await discovery.handle('/apis', { accept: AGGREGATED, pretty: true }))!.bytes.toString()).toContain('\n  "kind"');
  expect((await discovery.handle('/apis/apps', { accept: '' }))!.bytes.toString()).toContain('{"kind":"APIGroup",');
});

test('other media types and unknown paths', async () => {
  expect((await discovery.handle('/api', { accept: 'application/vnd.kubernetes.protobuf' }))!.status).toBe(406);
  expect((await discovery.handle('/api', { accept: 'text/html' }))!.status).toBe(406);
  expect((await discovery.handle('/api', { accept: 'text/html, */*;q=0.1' }))!.status).toBe(200);
  // Half wildcards are nothing to upstream's router, and all that is known to its other handlers.
  expect(await Promise.all([true, false].map(async (routed) => (await discovery.handle('/apis/apps/v1', { accept: 'application/*', routed }))!.status))).toEqual([406, 200]);
  for (const path of ['/apis/nope', '/apis/apps/v9', '/api/v2', '/apis/apps/v1/pods', '/apix']) expect(await discovery.handle(path, { accept: '' })).toBeUndefined();
});

test('documents follow the resources', async () => {
  const other = new Discovery({ serverAddress: () => 'x' });
  other.setResources(RESOURCES);
  const before = (await other.handle('/apis', { accept: AGGREGATED }))!;
  other.setResources([...RESOURCES, { group: 'example.com', version: 'v1', resource: 'foos', singular: 'foo', kind: 'Foo', namespaced: true, verbs: ['get'] }]);
  const after = (await other.handle('/apis', { accept: AGGREGATED }))!;
  expect(after.headers.ETag).not.toBe(before.headers.ETag);
  expect(after.bytes.toString()).toContain('example.com');
  expect((await other.handle('/apis/example.com/v1', { accept: '' }))!.status).toBe(200);
});
