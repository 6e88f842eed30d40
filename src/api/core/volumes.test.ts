import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { persistentVolume } from './persistent-volume.js';
import { persistentVolumeClaim } from './persistent-volume-claim.js';

const volume: V1PersistentVolume = {
  metadata: { name: 'v' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' }, storageClassName: 'fast' },
};
const claim: V1PersistentVolumeClaim = {
  metadata: { name: 'c', namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
};
const storedVolume = created(persistentVolume, volume);
const storedClaim = created(persistentVolumeClaim, claim);

test('defaults', () => {
  expect(storedVolume).toMatchObject({ spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', hostPath: { path: '/data', type: '' } }, status: { phase: 'Pending' } });
  expect(storedClaim).toMatchObject({ spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
});

const MODES = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"';

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no source', { 'spec/hostPath': undefined }, ['spec: Required value: must specify a volume type']],
  ['two sources', { 'spec/nfs': { server: 's', path: '/p' } }, ['spec.nfs: Forbidden: may not specify more than 1 volume type']],
  ['no capacity', { 'spec/capacity': undefined }, ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"']],
  ['no space', { 'spec/capacity/storage': '0' }, ['spec.capacity[storage]: Invalid value: "0": must be greater than zero']],
  ['an access mode', { 'spec/accessModes/0': 'Write' }, [`spec.accessModes: Unsupported value: "Write": supported values: ${MODES}`]],
  ['one pod and others', { 'spec/accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] }, [
    'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
  ]],
  ['a reclaim policy', { 'spec/persistentVolumeReclaimPolicy': 'Keep' }, [
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
  ]],
  ['a path that goes back', { 'spec/hostPath/path': '/a/../b' }, ["spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"]],
  ['a local volume anywhere', { 'spec/hostPath': undefined, 'spec/local': { path: '/x' } }, ['spec.nodeAffinity: Required value: Local volume requires node affinity']],
  ['a driver without handle', { 'spec/hostPath': undefined, 'spec/csi': { driver: 'a.b' } }, ['spec.csi.volumeHandle: Required value']],
])('create a volume with %s', (_what, changes, expected) => {
  expect(createErrors(persistentVolume, changed(volume, changes))).toEqual(expected);
});

test('the source of a volume does not change', () => {
  expect(updateErrors(persistentVolume, storedVolume, changed(storedVolume, { 'spec/hostPath/path': '/other' }))).toEqual([
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n'
    + '@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/data",\n+  "Path": "/other",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
  ]);
  expect(updateErrors(persistentVolume, storedVolume, changed(storedVolume, { 'spec/capacity/storage': '2Gi', 'spec/persistentVolumeReclaimPolicy': 'Delete' }))).toEqual([]);
});

test('a change of phase is dated', () => {
  const next = updated(persistentVolume, storedVolume, changed(storedVolume, { 'status/phase': 'Available', 'spec/hostPath/path': '/other' }), 'status');
  expect(next.status).toEqual({ phase: 'Available', lastPhaseTransitionTime: '2026-06-01T12:00:00Z' });
  expect(next.spec).toEqual(storedVolume.spec);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no access mode', { 'spec/accessModes': [] }, ['spec.accessModes: Required value: at least 1 access mode is required']],
  ['no size', { 'spec/resources': {} }, ['spec.resources[storage]: Required value']],
  ['a class', { 'spec/storageClassName': 'A' }, [
    "spec.storageClassName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]],
  ['a source without name', { 'spec/dataSource': { kind: 'PersistentVolumeClaim', name: '' } }, ['spec.dataSource.name: Required value', 'spec.dataSourceRef.name: Required value']],
])('create a claim with %s', (_what, changes, expected) => {
  expect(createErrors(persistentVolumeClaim, changed(claim, changes))).toEqual(expected);
});

test('a claim whose source is stored without a group can be written again', () => {
  const stored = changed(storedClaim, { 'spec/dataSource': { apiGroup: null, kind: 'PersistentVolumeClaim', name: 's' }, 'spec/dataSourceRef': { apiGroup: null, kind: 'PersistentVolumeClaim', name: 's' } });
  expect(updateErrors(persistentVolumeClaim, stored, changed(stored, { 'metadata/labels': { a: 'b' } }))).toEqual([]);
});

test('a data source is known under both names', () => {
  const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
  expect(created(persistentVolumeClaim, changed(claim, { 'spec/dataSource': source })).spec!.dataSourceRef).toEqual(source);
  expect(created(persistentVolumeClaim, changed(claim, { 'spec/dataSourceRef': source })).spec!.dataSource).toEqual(source);
});

const bound = changed(storedClaim, { 'spec/volumeName': 'v', 'status/phase': 'Bound', 'status/capacity/storage': '1Gi', 'status/accessModes': ['ReadWriteOnce'] });

test.each<[string, V1PersistentVolumeClaim, Changes, string[]]>([
  ['its volume', storedClaim, { 'spec/volumeName': 'v' }, []],
  ['more space', bound, { 'spec/resources/requests/storage': '2Gi' }, []],
  ['less space', bound, { 'spec/resources/requests/storage': '512Mi' }, ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity']],
  ['more space before it is bound', storedClaim, { 'spec/resources/requests/storage': '2Gi' }, [
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'
    + '@@ -6,7 +6,7 @@\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n-   "storage": "1Gi"\n+   "storage": "2Gi"\n   }\n  },\n  "VolumeName": "",\n',
  ]],
])('update a claim with %s', (_what, old, changes, expected) => {
  expect(updateErrors(persistentVolumeClaim, old, changed(old, changes))).toEqual(expected);
});

test('cells', () => {
  expect(cellsOf(persistentVolume, storedVolume)).toEqual(['v', '1Gi', 'RWO', 'Retain', 'Pending', '', 'fast', '<unset>', '', '<unknown>', 'Filesystem']);
  expect(cellsOf(persistentVolumeClaim, bound)).toEqual(['c', 'Bound', 'v', '1Gi', 'RWO', 'fast', '<unset>', '<unknown>', 'Filesystem']);
  expect(cellsOf(persistentVolumeClaim, storedClaim).slice(1, 5)).toEqual(['Pending', '', '', '']);
});

test('warnings', () => {
  expect(persistentVolume.warnings!(changed(storedVolume, { 'spec/persistentVolumeReclaimPolicy': 'Recycle', 'metadata/annotations': { 'volume.beta.kubernetes.io/storage-class': 'x' } }), undefined)).toEqual([
    "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use \"storageClassName\" attribute instead",
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
  ]);
});
