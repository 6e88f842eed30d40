import { Registry } from 'prom-client';
import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import * as refs from '../../api/resource-refs.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createScheduler } from '../scheduler.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { makeNode, makePod } from '../testing/objects.js';

const claim = (name: string, more: { spec?: V1PersistentVolumeClaim['spec']; annotations?: Record<string, string>; status?: V1PersistentVolumeClaim['status'] } = {}): V1PersistentVolumeClaim => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, ...(more.annotations ? { annotations: more.annotations } : {}) },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'late', ...more.spec },
  status: more.status ?? { phase: 'Pending' },
});
const volume = (name: string, node: string, capacity = '1Gi'): V1PersistentVolume => ({
  metadata: { name },
  spec: {
    capacity: { storage: capacity },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'late',
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }] } },
  },
  status: { phase: 'Available' },
});
const late: V1StorageClass = { metadata: { name: 'late' }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' };
const dynamic: V1StorageClass = { metadata: { name: 'dynamic' }, provisioner: 'example.com/csi', volumeBindingMode: 'WaitForFirstConsumer' };
const now: V1StorageClass = { metadata: { name: 'now' }, provisioner: 'example.com/csi', volumeBindingMode: 'Immediate' };
const using = (...claims: string[]): V1Pod => makePod('p', { spec: { volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) } });
const BOUND = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' }, status: { phase: 'Bound' } };

async function run(prepare: (cluster: FakeCluster) => void, pod: V1Pod): Promise<{ cluster: FakeCluster; clock: FakeClock }> {
  const cluster = new FakeCluster();
  ['n1', 'n2'].forEach((name) => cluster.put(refs.NODES, makeNode(name, { labels: { 'topology.kubernetes.io/zone': `zone-${name}` } })));
  [late, dynamic, now].forEach((one) => cluster.put(refs.STORAGE_CLASSES, one));
  prepare(cluster);
  const clock = new FakeClock();
  const env = { client: cluster.client, informers: cluster.informers, recorder: cluster.recorder, clock, random: new SeededRandom(), log: silentLogger, metrics: new Registry() };
  await createScheduler({}, env).start(new AbortController().signal);
  cluster.put(refs.PODS, pod);
  await clock.advance(10);
  return { cluster, clock };
}

const messageFor = async (prepare: (cluster: FakeCluster) => void, pod: V1Pod): Promise<string> => (await run(prepare, pod)).cluster.events[0]!.message;

test('a pod goes where its bound volume can be reached', async () => {
  const { cluster } = await run((c) => {
    c.put(refs.PERSISTENT_VOLUMES, volume('v', 'n2'));
    c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, spec: { volumeName: 'v' } }));
  }, using('data'));
  expect(cluster.pod('p')?.spec?.nodeName).toBe('n2');
});

test('delayed binding takes the smallest volume of the chosen node, and the pod is bound after the claim', async () => {
  const { cluster, clock } = await run((c) => {
    c.put(refs.PERSISTENT_VOLUMES, volume('large', 'n1', '9Gi'));
    c.put(refs.PERSISTENT_VOLUMES, volume('small', 'n1', '2Gi'));
    c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data'));
  }, using('data'));
  expect(cluster.writes.filter((write) => !write.startsWith('patch'))).toEqual(['update persistentvolumes /small']);
  const small = cluster.get(refs.PERSISTENT_VOLUMES, '', 'small')!;
  expect(small.spec?.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid: 'uid-data' });
  expect(small.metadata?.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
  cluster.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, spec: { volumeName: 'small' } }));
  await clock.advance(10);
  expect(cluster.pod('p')?.spec?.nodeName).toBe('n1');
});

test('dynamic provisioning is asked for by the selected node', async () => {
  const { cluster, clock } = await run((c) => c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { spec: { storageClassName: 'dynamic' } })), using('data'));
  const node = cluster.get(refs.PERSISTENT_VOLUME_CLAIMS, 'default', 'data')?.metadata?.annotations?.['volume.kubernetes.io/selected-node'];
  expect(['n1', 'n2']).toContain(node);
  expect(cluster.pod('p')?.spec?.nodeName).toBeUndefined();
  expect(cluster.pod('p')?.status?.nominatedNodeName).toBe(node);
  cluster.put(refs.PERSISTENT_VOLUMES, { ...volume('made', node!), status: { phase: 'Bound' } });
  cluster.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, annotations: { ...BOUND.annotations, 'volume.kubernetes.io/selected-node': node! }, spec: { storageClassName: 'dynamic', volumeName: 'made' } }));
  await clock.advance(10);
  expect(cluster.pod('p')?.spec?.nodeName).toBe(node);
});

test('a claim that is not bound in time sends the pod back', async () => {
  const { cluster, clock } = await run((c) => c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { spec: { storageClassName: 'dynamic' } })), using('data'));
  await clock.advance(600_000);
  expect(cluster.events[0]).toMatchObject({ reason: 'FailedScheduling', message: 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded' });
});

test.each([
  ['an unbound claim of an immediate class', (c: FakeCluster) => c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { spec: { storageClassName: 'now' } })), using('data'), '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found'],
  ['a claim that does not exist', () => undefined, using('data'), '0/2 nodes are available: persistentvolumeclaim "data" not found. not found'],
  [
    'an ephemeral claim that is not there yet',
    () => undefined,
    makePod('p', { spec: { volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec: {} } } }] } }),
    '0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-tmp". not found',
  ],
  [
    'no volume to bind',
    (c: FakeCluster) => c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data')),
    using('data'),
    "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
  [
    'a volume elsewhere',
    (c: FakeCluster) => {
      c.put(refs.PERSISTENT_VOLUMES, volume('v', 'n9'));
      c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, spec: { volumeName: 'v' } }));
    },
    using('data'),
    "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
  [
    'a volume of another zone',
    (c: FakeCluster) => {
      c.put(refs.PERSISTENT_VOLUMES, { metadata: { name: 'v', labels: { 'topology.kubernetes.io/zone': 'zone-n9' } }, spec: { capacity: { storage: '1Gi' } } });
      c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, spec: { volumeName: 'v' } }));
    },
    using('data'),
    '0/2 nodes are available: 2 node(s) had no available volume zone. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
  ],
  [
    'a claim for one pod at a time',
    (c: FakeCluster) => {
      c.put(refs.PERSISTENT_VOLUMES, volume('v', 'n1'));
      c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { ...BOUND, spec: { volumeName: 'v', accessModes: ['ReadWriteOncePod'] } }));
      c.put(refs.PODS, { ...using('data'), metadata: { name: 'other', namespace: 'default', uid: 'other' }, spec: { ...using('data').spec!, nodeName: 'n1' } });
    },
    using('data'),
    '0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  ],
  [
    'too many volumes for the drivers',
    (c: FakeCluster) => {
      ['n1', 'n2'].forEach((name) => c.put(refs.CSI_NODES, { metadata: { name }, spec: { drivers: [{ name: 'example.com/csi', nodeID: name, allocatable: { count: 0 } }] } }));
      c.put(refs.PERSISTENT_VOLUME_CLAIMS, claim('data', { spec: { storageClassName: 'dynamic' } }));
    },
    using('data'),
    '0/2 nodes are available: 2 node(s) exceed max volume count. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  ],
] as const)('says: %s', async (_title, prepare, pod, expected) => {
  expect(await messageFor(prepare as (cluster: FakeCluster) => void, pod)).toBe(expected);
});
