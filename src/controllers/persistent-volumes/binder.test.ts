import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS as CLAIMS, PERSISTENT_VOLUMES as VOLUMES, PODS, STORAGE_CLASSES as CLASSES } from '../../api/resource-refs.js';
import { conflictError } from '../../api/status-error.js';
import type { FakeApi } from '../testing/fake-api.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { persistentVolumeBinderController } from './descriptor.js';

let harness: ControllerHarness | undefined;
afterEach(() => harness?.stop());

type Spec<T extends { readonly spec?: unknown }> = NonNullable<T['spec']>;
const volume = (name: string, size: string, spec: Partial<Spec<V1PersistentVolume>> = {}, metadata: V1PersistentVolume['metadata'] = {}): V1PersistentVolume => ({
  apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, ...metadata },
  spec: { capacity: { storage: size }, accessModes: ['ReadWriteOnce'], persistentVolumeReclaimPolicy: 'Retain', hostPath: { path: `/data/${name}` }, ...spec },
  status: { phase: 'Available' },
});
const claim = (name: string, size: string, spec: Partial<Spec<V1PersistentVolumeClaim>> = {}, metadata: V1PersistentVolumeClaim['metadata'] = {}): V1PersistentVolumeClaim => ({
  apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'a', name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...spec }, status: { phase: 'Pending' },
});
const storageClass = (name: string, fields: Partial<V1StorageClass> = {}): V1StorageClass => ({
  apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner: 'example.test/disks', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', ...fields,
});
const start = async (prepare: (api: FakeApi) => void): Promise<ControllerHarness> => (harness = await startControllers([persistentVolumeBinderController], prepare));
const bound = ({ api }: ControllerHarness): Record<string, string> => Object.fromEntries(api.all(CLAIMS).map(({ metadata, spec, status }) => [metadata!.name!, `${status?.phase} ${spec?.volumeName ?? ''}`.trim()]));
const phases = ({ api }: ControllerHarness): Record<string, string> => Object.fromEntries(api.all(VOLUMES).map(({ metadata, status }) => [metadata!.name!, status?.phase ?? '']));

test('the smallest volume that fits is bound, with everything that says so', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('big', '10Gi'));
    api.seed(VOLUMES, volume('fits', '1Gi'));
    api.seed(VOLUMES, volume('small', '500Mi'));
    api.seed(CLAIMS, claim('c', '600Mi', { storageClassName: '' }));
  });
  const c = h.api.find(CLAIMS, 'a', 'c')!;
  expect(c).toMatchObject({
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    spec: { volumeName: 'fits' }, status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
  });
  expect(h.api.find(VOLUMES, '', 'fits')).toMatchObject({
    metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    spec: { claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'a', name: 'c', uid: c.metadata!.uid } }, status: { phase: 'Bound' },
  });
  expect(phases(h)).toEqual({ big: 'Available', fits: 'Bound', small: 'Available' });
});

test('class, mode, access modes, selector and size are minded; two claims never get one volume', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('class', '1Gi', { storageClassName: 'fast' }));
    api.seed(VOLUMES, volume('block', '1Gi', { volumeMode: 'Block' }));
    api.seed(VOLUMES, volume('many', '1Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }));
    api.seed(VOLUMES, volume('label', '2Gi', {}, { labels: { disk: 'ssd' } }));
    api.seed(CLAIMS, claim('c-block', '1Gi', { volumeMode: 'Block' }));
    api.seed(CLAIMS, claim('c-class', '1Gi', { storageClassName: 'fast' }));
    api.seed(CLAIMS, claim('c-label', '1Gi', { selector: { matchLabels: { disk: 'ssd' } } }));
    api.seed(CLAIMS, claim('c-many', '1Gi', { accessModes: ['ReadWriteMany'] }));
    api.seed(CLAIMS, claim('c-none', '1Gi'));
  });
  expect(bound(h)).toEqual({ 'c-block': 'Bound block', 'c-class': 'Bound class', 'c-label': 'Bound label', 'c-many': 'Bound many', 'c-none': 'Pending' });
  expect(h.events).toContain('Normal FailedBinding no persistent volumes available for this claim and no storage class is set');
  h.api.seed(VOLUMES, volume('late', '1Gi', {}));
  h.api.edit(VOLUMES, '', 'late', () => ({ status: { phase: 'Pending' } }));
  await h.settle();
  expect(bound(h)['c-none']).toBe('Bound late');
});

test('a volume with few access modes goes before one with many, be it larger', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('many', '1Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }));
    api.seed(VOLUMES, volume('one', '5Gi'));
    api.seed(CLAIMS, claim('c', '1Gi'));
  });
  expect(bound(h)).toEqual({ c: 'Bound one' });
});

test('bound by the user: a volume that names a claim, a claim that names a volume', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('reserved', '5Gi', { claimRef: { namespace: 'a', name: 'first' }, storageClassName: 'other' }));
    api.seed(VOLUMES, volume('wanted', '1Gi'));
    api.seed(VOLUMES, volume('tiny', '1Mi'));
    api.seed(CLAIMS, claim('first', '1Gi'));
    api.seed(CLAIMS, claim('second', '1Gi', { volumeName: 'wanted' }));
    api.seed(CLAIMS, claim('third', '1Gi', { volumeName: 'tiny' }));
    api.seed(CLAIMS, claim('fourth', '1Gi', { volumeName: 'wanted' }));
    api.seed(CLAIMS, claim('fifth', '1Gi', { volumeName: 'absent' }));
  });
  expect(bound(h)).toEqual({ first: 'Bound reserved', second: 'Bound wanted', third: 'Pending tiny', fourth: 'Pending wanted', fifth: 'Pending absent' });
  expect(h.api.find(VOLUMES, '', 'reserved')!.metadata!.annotations).toBeUndefined();
  expect(h.api.find(CLAIMS, 'a', 'second')!.metadata!.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' });
  expect(h.events).toEqual(expect.arrayContaining([
    'Warning VolumeMismatch Cannot bind to requested volume "tiny": requested PV is too small',
    'Warning FailedBinding volume "wanted" already bound to a different claim.',
  ]));
});

test('a claim that goes releases its volume; another of the same name does not get it', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('v', '1Gi'));
    api.seed(CLAIMS, claim('c', '1Gi'));
  });
  await h.api.resource(CLAIMS).delete('a', 'c');
  await h.settle();
  expect(phases(h)).toEqual({ v: 'Released' });
  h.api.seed(CLAIMS, claim('c', '1Gi'));
  await h.settle(20_000);
  expect(bound(h)).toEqual({ c: 'Pending' });
  h.api.edit(VOLUMES, '', 'v', () => ({ spec: { claimRef: null } }));
  await h.settle();
  expect(bound(h)).toEqual({ c: 'Bound v' });
});

test('a bound claim whose volume goes is lost', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('v', '1Gi'));
    api.seed(CLAIMS, claim('c', '1Gi'));
  });
  await h.api.resource(VOLUMES).delete('', 'v');
  await h.settle();
  expect(bound(h)).toEqual({ c: 'Lost v' });
  expect(h.api.find(CLAIMS, 'a', 'c')!.status).toEqual({ phase: 'Lost' });
  expect(h.events).toEqual(['Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!']);
});

test('reclaim policies', async () => {
  const gone = { claimRef: { namespace: 'a', name: 'gone', uid: 'u' } };
  const h = await start((api) => {
    api.seed(VOLUMES, volume('keep', '1Gi', gone));
    api.seed(VOLUMES, volume('hand', '1Gi', { ...gone, persistentVolumeReclaimPolicy: 'Delete' }));
    api.seed(VOLUMES, volume('made', '1Gi', { ...gone, persistentVolumeReclaimPolicy: 'Delete' }, { annotations: { 'pv.kubernetes.io/provisioned-by': 'example.test/disks' } }));
    api.seed(VOLUMES, volume('old', '1Gi', { ...gone, persistentVolumeReclaimPolicy: 'Recycle' }));
  });
  expect(phases(h)).toEqual({ keep: 'Released', hand: 'Failed', made: 'Released', old: 'Failed' });
  expect(h.events.map((event) => event.split(' ').slice(0, 2).join(' ')).sort()).toEqual(['Warning VolumeFailedDelete', 'Warning VolumeFailedRecycle']);
  await h.settle(60_000);
  expect(h.events).toHaveLength(2);
});

test('WaitForFirstConsumer: waits for the pod, then for the scheduler, then asks the provisioner', async () => {
  const h = await start((api) => {
    api.seed(CLASSES, storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' }));
    api.seed(VOLUMES, volume('free', '1Gi', { storageClassName: 'later' }));
    api.seed(CLAIMS, claim('c', '1Gi', { storageClassName: 'later' }));
  });
  expect(bound(h)).toEqual({ c: 'Pending' });
  h.api.seed(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', name: 'p' }, spec: { containers: [], volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] } } as V1Pod);
  await h.settle(15_000);
  h.api.edit(CLAIMS, 'a', 'c', () => ({ metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n' } } }));
  await h.settle();
  expect(h.events.map((event) => event.slice(0, 75))).toEqual([
    'Normal WaitForFirstConsumer waiting for first consumer to be created before',
    'Normal WaitForPodScheduled waiting for pod p to be scheduled',
    expect.stringMatching(/^Normal ExternalProvisioning Waiting for a volume to be created/),
    expect.stringMatching(/^Normal ExternalProvisioning /),
  ]);
  expect(h.api.find(CLAIMS, 'a', 'c')!.metadata!.annotations).toMatchObject({ 'volume.kubernetes.io/storage-provisioner': 'example.test/disks', 'volume.beta.kubernetes.io/storage-provisioner': 'example.test/disks' });
  // The scheduler sets the volume apart: the controller finishes the bind.
  const { uid } = h.api.find(CLAIMS, 'a', 'c')!.metadata!;
  h.api.edit(VOLUMES, '', 'free', () => ({ metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } }, spec: { claimRef: { namespace: 'a', name: 'c', uid } } }));
  await h.settle();
  expect(bound(h)).toEqual({ c: 'Bound free' });
});

test('classes: missing, without a provisioner, and the default one for claims that came before it', async () => {
  const h = await start((api) => {
    api.seed(CLASSES, storageClass('none', { provisioner: 'kubernetes.io/no-provisioner' }));
    api.seed(CLAIMS, claim('bad', '1Gi', { storageClassName: 'absent' }));
    api.seed(CLAIMS, claim('local', '1Gi', { storageClassName: 'none' }));
    api.seed(CLAIMS, claim('open', '1Gi'));
    api.seed(CLAIMS, claim('without', '1Gi', { storageClassName: '' }));
  });
  expect(h.events).toEqual(expect.arrayContaining([
    'Warning ProvisioningFailed storageclass.storage.k8s.io "absent" not found',
    'Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner',
  ]));
  h.api.seed(CLASSES, storageClass('standard', { metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } }));
  await h.settle();
  expect(h.api.find(CLAIMS, 'a', 'open')!.spec!.storageClassName).toBe('standard');
  expect(h.api.find(CLAIMS, 'a', 'open')!.metadata!.annotations).toMatchObject({ 'volume.kubernetes.io/storage-provisioner': 'example.test/disks' });
  expect(h.api.find(CLAIMS, 'a', 'without')!.spec!.storageClassName).toBe('');
});

test('a bind that fails half way is finished, with the same volume', async () => {
  const failures = new Map<number, number>();
  for (let step = 0; step < 4; step++) {
    let writes = 0;
    const h = await start((api) => {
      api.seed(VOLUMES, volume('v1', '1Gi'));
      api.seed(VOLUMES, volume('v2', '1Gi'));
      api.seed(CLAIMS, claim('c', '1Gi'));
      api.react = ({ verb, resource, name }) => {
        if (verb === 'update' && writes++ === step) {
          failures.set(step, writes);
          throw conflictError(resource === 'persistentvolumes' ? VOLUMES : CLAIMS, name, 'somebody was faster');
        }
        return undefined;
      };
    });
    await h.settle(1000);
    expect(bound(h)).toEqual({ c: 'Bound v1' });
    expect(phases(h)).toEqual({ v1: 'Bound', v2: 'Available' });
    await h.stop();
  }
  expect(failures.size).toBe(4);
});

test('when nothing changes nothing is written', async () => {
  const h = await start((api) => {
    api.seed(VOLUMES, volume('v', '1Gi'));
    api.seed(VOLUMES, volume('free', '1Gi'));
    api.seed(CLAIMS, claim('c', '1Gi'));
  });
  h.api.actions.length = 0;
  await h.settle(60_000);
  expect(h.api.actions).toEqual([]);
});
