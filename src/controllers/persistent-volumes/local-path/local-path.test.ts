import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim } from '../../../api/generated/types.js';
import { NODES, PERSISTENT_VOLUME_CLAIMS as CLAIMS, PERSISTENT_VOLUMES as VOLUMES, STORAGE_CLASSES as CLASSES } from '../../../api/resource-refs.js';
import { exists } from '../../../base/files.js';
import { FakeApi } from '../../testing/fake-api.js';
import { startControllers, type ControllerHarness } from '../../testing/test-context.js';
import { persistentVolumeBinderController } from '../descriptor.js';
import { localPathProvisioner } from './descriptor.js';
import { deletablePath, volumePath } from './names.js';
import { ensureDefaultStorageClass } from './storage-class.js';

let folder: string;
let harness: ControllerHarness | undefined;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'kube-local-path-'))));
afterEach(async () => {
  await harness?.stop();
  await rm(folder, { recursive: true });
});

const node = (name: string): V1Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': `host-${name}` } } });
const claim = (name: string, spec: Partial<NonNullable<V1PersistentVolumeClaim['spec']>> = {}, selected: string | undefined = 'n1'): V1PersistentVolumeClaim => ({
  apiVersion: 'v1', kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'a', name, ...(selected ? { annotations: { 'volume.kubernetes.io/selected-node': selected } } : {}) },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'local-path', ...spec }, status: { phase: 'Pending' },
});

async function start(prepare: (api: FakeApi) => void): Promise<ControllerHarness> {
  const setUp = new FakeApi();
  await ensureDefaultStorageClass(setUp);
  harness = await startControllers([persistentVolumeBinderController, localPathProvisioner], (api) => {
    api.seed(NODES, node('n1'));
    api.seed(NODES, node('n2'));
    api.seed(CLASSES, setUp.all(CLASSES)[0]!);
    prepare(api);
  }, { controllerOptions: { localPathFolder: folder, localPathNodes: ['n1'] } });
  return harness;
}

/** File work takes turns of the real loop. */
async function until(h: ControllerHarness, done: () => unknown): Promise<void> {
  for (let i = 0; i < 2000 && !done(); i++) await h.settle();
  expect(done()).toBeTruthy();
}

const phase = (h: ControllerHarness, name = 'c'): string | undefined => h.api.find(CLAIMS, 'a', name)?.status?.phase;

test('the default class is made once, beside another default it is none, and what people change stays', async () => {
  const api = new FakeApi();
  await ensureDefaultStorageClass(api);
  expect(api.all(CLASSES)).toMatchObject([{
    metadata: { name: 'local-path', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kube.io/local-path', reclaimPolicy: 'Delete', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: false,
  }]);
  api.edit(CLASSES, '', 'local-path', () => ({ metadata: { annotations: null } }));
  await ensureDefaultStorageClass(api);
  expect(api.all(CLASSES)[0]!.metadata!.annotations).toBeUndefined();
  const other = new FakeApi();
  other.seed(CLASSES, { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'x', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'p' });
  await ensureDefaultStorageClass(other);
  expect(other.find(CLASSES, '', 'local-path')!.metadata!.annotations).toEqual({});
});

test('a volume on the selected node, bound; its data goes with the claim, and nothing else', async () => {
  const outside = join(folder, 'outside');
  const h = await start((api) => api.seed(CLAIMS, claim('c')));
  await until(h, () => phase(h) === 'Bound');
  const { uid } = h.api.find(CLAIMS, 'a', 'c')!.metadata!;
  const [volume] = h.api.all(VOLUMES);
  const path = join(folder, `pvc-${uid}_a_c`);
  expect(volume).toMatchObject({
    metadata: { name: `pvc-${uid}`, annotations: { 'pv.kubernetes.io/provisioned-by': 'kube.io/local-path' }, finalizers: ['kube.io/local-path'] },
    spec: {
      capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'local-path', hostPath: { path, type: 'DirectoryOrCreate' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['host-n1'] }] }] } },
    },
    status: { phase: 'Bound' },
  });
  expect((await stat(path)).mode & 0o7777).toBe(0o777);
  expect([...new Set(h.events.map((event) => event.replace(/(ExternalProvisioning Waiting).*/, '$1')))].sort()).toEqual([
    'Normal ExternalProvisioning Waiting',
    'Normal Provisioning External provisioner is provisioning volume for claim "a/c"',
    `Normal ProvisioningSucceeded Successfully provisioned volume pvc-${uid}`,
  ]);
  await writeFile(join(path, 'data'), 'x');
  await writeFile(outside, 'stays');
  await symlink(outside, join(path, 'link'));
  await h.api.resource(CLAIMS).delete('a', 'c');
  await until(h, () => h.api.all(VOLUMES).length === 0);
  expect(await readdir(folder)).toEqual(['outside']);
  expect(await readFile(outside, 'utf8')).toBe('stays');
});

test('a volume deleted before its claim keeps its data until the claim goes; a kept one keeps it for good', async () => {
  const h = await start((api) => api.seed(CLAIMS, claim('c')));
  await until(h, () => phase(h) === 'Bound');
  const [volume] = h.api.all(VOLUMES);
  const path = volume!.spec!.hostPath!.path;
  await h.api.resource(VOLUMES).delete('', volume!.metadata!.name!);
  await h.settle();
  expect(await exists(path)).toBe(true);
  expect(h.api.all(VOLUMES)).toHaveLength(1);
  await h.api.resource(CLAIMS).delete('a', 'c');
  await until(h, () => h.api.all(VOLUMES).length === 0);
  expect(await exists(path)).toBe(false);

  h.api.seed(CLAIMS, claim('kept'));
  await until(h, () => phase(h, 'kept') === 'Bound');
  const [kept] = h.api.all(VOLUMES);
  h.api.edit(VOLUMES, '', kept!.metadata!.name!, () => ({ spec: { persistentVolumeReclaimPolicy: 'Retain' } }));
  await h.api.resource(CLAIMS).delete('a', 'kept');
  await h.settle(1000);
  expect(h.api.all(VOLUMES)[0]!.status!.phase).toBe('Released');
  await h.api.resource(VOLUMES).delete('', kept!.metadata!.name!);
  await until(h, () => h.api.all(VOLUMES).length === 0);
  expect(await exists(kept!.spec!.hostPath!.path)).toBe(true);
});

test('on a node of another process nothing is made here, and its volumes wait until that process or the node is gone', async () => {
  const h = await start((api) => api.seed(CLAIMS, claim('c', {}, 'n2')));
  await until(h, () => phase(h) === 'Bound');
  expect(await readdir(folder)).toEqual([]);
  await h.api.resource(CLAIMS).delete('a', 'c');
  await h.settle(5000);
  expect(h.api.all(VOLUMES)[0]!.status!.phase).toBe('Released');
  expect(h.events.at(-1)).toMatch(/^Normal VolumeDelete the volume's folder is on node n2/);
  await h.api.resource(NODES).delete('', 'n2');
  await until(h, () => h.api.all(VOLUMES).length === 0);
});

test('what cannot be had is said, and not tried for ever', async () => {
  const h = await start((api) => {
    api.seed(CLAIMS, claim('block', { volumeMode: 'Block' }));
    api.seed(CLAIMS, claim('selector', { selector: { matchLabels: { a: 'b' } } }));
    api.seed(CLAIMS, claim('source', { dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } }));
    api.seed(CLAIMS, claim('lost-node', {}, 'gone'));
  });
  await h.settle(1000);
  expect(h.events.filter((event) => event.includes('ProvisioningFailed')).sort()).toEqual([
    'Warning ProvisioningFailed failed to provision volume with StorageClass "local-path": claim Selector is not supported',
    'Warning ProvisioningFailed failed to provision volume with StorageClass "local-path": failed to get target node: node "gone" not found',
    'Warning ProvisioningFailed failed to provision volume with StorageClass "local-path": spec.dataSource is not supported',
    'Warning ProvisioningFailed failed to provision volume with StorageClass "local-path": spec.volumeMode: Block is not supported, a volume is a folder',
  ]);
  expect(h.api.find(CLAIMS, 'a', 'lost-node')!.metadata!.annotations).not.toHaveProperty(['volume.kubernetes.io/selected-node']);
  expect(h.api.all(VOLUMES)).toEqual([]);
});

test('a claim that grows is told that it does not', async () => {
  const h = await start((api) => api.seed(CLAIMS, claim('c')));
  await until(h, () => phase(h) === 'Bound');
  h.api.edit(CLAIMS, 'a', 'c', () => ({ spec: { resources: { requests: { storage: '2Gi' } } } }));
  await h.settle();
  expect(h.events.at(-1)).toBe('Warning VolumeResizeFailed volumes of provisioner kube.io/local-path cannot be expanded; the claim keeps 1Gi');
});

test('only folders of the provisioner are ever deleted', () => {
  const at = (path: string, name = 'pvc-1'): V1PersistentVolume => ({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { hostPath: { path } } });
  expect(deletablePath('/data', at('/data/pvc-1_a_c'))).toBe('/data/pvc-1_a_c');
  expect(deletablePath('/data/', at('/data/pvc-1_a_c'))).toBe('/data/pvc-1_a_c');
  for (const path of ['/', '/data', '/data/', '/etc/pvc-1_a_c', '/data/pvc-2_a_c', '/data/../etc/pvc-1_a_c', '/data/pvc-1_a_c/x', '/data/pvc-1_a_c/..', 'pvc-1_a_c', '']) expect(deletablePath('/data', at(path))).toBeUndefined();
  expect(deletablePath('/data', at('/data/_x', ''))).toBeUndefined();
});

test('a long name gives a name that the file system takes', () => {
  const long: V1PersistentVolumeClaim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { uid: '0'.repeat(36), namespace: 'n'.repeat(63), name: 'c'.repeat(253) } };
  expect(volumePath('/data', long).length).toBe('/data/'.length + 255);
});

test('a folder that cannot be deleted is reported and tried again', async () => {
  const h = await start((api) => api.seed(CLAIMS, claim('c')));
  await until(h, () => phase(h) === 'Bound');
  const [volume] = h.api.all(VOLUMES);
  let failing = true;
  h.api.react = ({ verb, resource }) => {
    if (failing && verb === 'delete' && resource === 'persistentvolumes') throw new Error('the API is away');
    return undefined;
  };
  await h.api.resource(CLAIMS).delete('a', 'c');
  await h.settle(100);
  expect(h.api.all(VOLUMES)).toHaveLength(1);
  failing = false;
  for (let i = 0; i < 100 && h.api.all(VOLUMES).length > 0; i++) await h.settle(100);
  expect(h.api.all(VOLUMES)).toEqual([]);
  expect(await exists(volume!.spec!.hostPath!.path)).toBe(false);
});

test('without a folder it is off', async () => {
  harness = await startControllers([localPathProvisioner], (api) => api.seed(CLAIMS, claim('c')));
  expect(harness.api.actions).toEqual([]);
});
