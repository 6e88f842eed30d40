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
  expect(await get('/apis/apps', accept)).toMatchObject({ kind: 'APIGroup' });
});

test('what the client has is not sent again, and bodies are compressed on demand', async () => {
  const first = (await discovery.handle('/apis', { accept: AGGREGATED, acceptEncoding: 'gzip' }))!;
  expect(first.headers['Content-Encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(first.bytes).toString())).toMatchObject({ kind: 'APIGroupDiscoveryList' });
  const again = (await discovery.handle('/apis', { accept: AGGREGATED, ifNoneMatch: first.headers.ETag! }))!;
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

test('other media types and unknown paths', async () => {
  expect((await discovery.handle('/api', { accept: 'application/vnd.kubernetes.protobuf' }))!.status).toBe(406);
  expect((await discovery.handle('/api', { accept: 'text/html' }))!.status).toBe(406);
  expect((await discovery.handle('/api', { accept: 'text/html, */*;q=0.1' }))!.status).toBe(200);
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
