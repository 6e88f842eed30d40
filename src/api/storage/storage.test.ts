import type { V1CSIDriver, V1CSINode, V1StorageClass, V1VolumeAttachment } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { csiDriver } from './csi-driver.js';
import { csiNode } from './csi-node.js';
import { storageClass } from './storage-class.js';
import { volumeAttachment } from './volume-attachment.js';

const fast: V1StorageClass = { metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'a.b/c', parameters: { x: 'y' } };
const stored = created(storageClass, fast);

test('defaults of a class', () => {
  expect(stored).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  expect(cellsOf(storageClass, stored)).toEqual(['fast (default)', 'a.b/c', 'Delete', 'Immediate', false, '<unknown>']);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no provisioner', { provisioner: '' }, ['provisioner: Required value']],
  ['an empty parameter name', { parameters: { '': 'x' } }, ['parameters: Invalid value: "": field can not be empty.']],
  ['a reclaim policy', { reclaimPolicy: 'Recycle' }, ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"']],
  ['a binding mode', { volumeBindingMode: 'Later' }, ['volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"']],
  ['a topology without values', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: [] }] }] }, ['allowedTopologies[0].matchLabelExpressions[0].values: Required value']],
  ['the same topology twice', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }, { matchLabelExpressions: [{ key: 'a', values: ['b'] }] }] }, [
    'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
  ]],
  ['an empty topology', { allowedTopologies: [{}] }, ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']],
])('create a class with %s', (_what, changes, expected) => {
  expect(createErrors(storageClass, changed(fast, changes))).toEqual(expected);
});

test.each<[string, Changes, string[]]>([
  ['expansion', { allowVolumeExpansion: true }, []],
  ['other parameters', { 'parameters/x': 'z' }, ['parameters: Invalid value: {"x":"z"}: field is immutable']],
  ['another provisioner', { provisioner: 'a.b/d' }, ['provisioner: Invalid value: "a.b/d": field is immutable']],
])('update a class with %s', (_what, changes, expected) => {
  expect(updateErrors(storageClass, stored, changed(stored, changes))).toEqual(expected);
});

const driver: V1CSIDriver = { metadata: { name: 'a.b' }, spec: { tokenRequests: [{ audience: 'x' }] } };

test('a driver', () => {
  const made = created(csiDriver, driver);
  expect(made.spec).toEqual({
    attachRequired: true, podInfoOnMount: false, storageCapacity: false, fsGroupPolicy: 'ReadWriteOnceWithFSType', volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false, seLinuxMount: false, tokenRequests: [{ audience: 'x' }],
  });
  expect(updateErrors(csiDriver, made, changed(made, { 'spec/attachRequired': false }))).toEqual(['spec.attachedRequired: Invalid value: false: field is immutable']);
  expect(createErrors(csiDriver, changed(driver, { 'spec/tokenRequests/1': { audience: 'x' } }))).toEqual(['spec.tokenRequests[1].audience: Duplicate value: "x"']);
  expect(updated(csiDriver, made, made).metadata!.generation).toBeUndefined();
  expect(updated(csiDriver, made, changed(made, { 'spec/storageCapacity': true })).metadata!.generation).toBe(1);
  expect(cellsOf(csiDriver, made)).toEqual(['a.b', true, false, false, 'x', false, 'Persistent', '<unknown>']);
});

test('what a node says of a driver changes only as a whole', () => {
  const node: V1CSINode = { metadata: { name: 'n' }, spec: { drivers: [{ name: 'a.b', nodeID: '1', topologyKeys: [] }] } };
  expect(createErrors(csiNode, changed(node, { 'spec/drivers/1': { name: 'a.b', nodeID: '2', topologyKeys: [] } }))).toEqual(['spec.drivers[1].name: Duplicate value: "a.b"']);
  expect(updateErrors(csiNode, node, changed(node, { 'spec/drivers': [] }))).toEqual([]);
  expect(updateErrors(csiNode, node, changed(node, { 'spec/drivers/0/nodeID': '2' }))).toEqual([
    'spec.drivers: Invalid value: {"Name":"a.b","NodeID":"2","TopologyKeys":[],"Allocatable":null}: field is immutable',
  ]);
  expect(updateErrors(csiNode, node, changed(node, { 'spec/drivers/0/allocatable': { count: 3 } }))).toEqual([]);
});

test('an attachment', () => {
  const attachment: V1VolumeAttachment = { metadata: { name: 'a' }, spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'v' } } };
  expect(createErrors(volumeAttachment, attachment)).toEqual([]);
  expect(createErrors(volumeAttachment, changed(attachment, { 'spec/source': {} }))).toEqual(['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName']);
  expect(cellsOf(volumeAttachment, attachment)).toEqual(['a', 'a.b', 'v', 'n', false, '<unknown>']);
});
