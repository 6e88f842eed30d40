import type { V1Namespace, V1Node } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { namespace } from './namespace.js';
import { node } from './node.js';
import { serviceAccount } from './service-account.js';

const stored = created(namespace, { metadata: { name: 'a' } });

test('a new namespace is active, labelled with its name and held by the kubernetes finalizer', () => {
  expect(stored).toEqual({ metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'a' } }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
});

test('an update keeps finalizers and status; the label comes back', () => {
  const next = updated(namespace, stored, { metadata: { name: 'a', labels: { x: 'y' } }, spec: { finalizers: [] }, status: { phase: 'Terminating' } });
  expect(next).toEqual({ ...stored, metadata: { name: 'a', labels: { x: 'y', 'kubernetes.io/metadata.name': 'a' } } });
});

test('finalizers change through their subresource', () => {
  const next = updated(namespace, stored, { ...stored, spec: {}, status: { phase: 'Terminating' } }, 'finalize');
  expect(next.spec?.finalizers ?? []).toEqual([]);
  expect(next.status).toEqual({ phase: 'Active' });
  expect(updateErrors(namespace, stored, changed(stored, { 'spec/finalizers': ['a b'] }), 'finalize')).toEqual([
    "spec.finalizers[0]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    'spec.finalizers[0]: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

test('the phase of a namespace follows its deletion', () => {
  const deleted: V1Namespace = changed(stored, { 'metadata/deletionTimestamp': '2026-06-01T11:00:00Z' });
  expect(updateErrors(namespace, deleted, deleted, 'status')).toEqual(['status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty']);
  expect(updateErrors(namespace, stored, changed(stored, { 'status/phase': 'Terminating' }), 'status')).toEqual([
    'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
  ]);
});

const worker: V1Node = { metadata: { name: 'n' }, spec: { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'], taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } };

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a taint without effect', { 'spec/taints/0/effect': '' }, ['metadata.taints[0].effect: Required value']],
  ['a taint effect', { 'spec/taints/0/effect': 'Never' }, ['metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"']],
  ['the same taint twice', { 'spec/taints/1': { key: 'a', value: 'c', effect: 'NoSchedule' } }, [
    'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"c","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
  ]],
  ['a pod range', { 'spec/podCIDRs': ['10.244.0.0'], 'spec/podCIDR': '10.244.0.0' }, [
    'spec.podCIDRs[0]: Invalid value: "10.244.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]],
])('create a node with %s', (_what, changes, expected) => {
  expect(createErrors(node, changed(worker, changes))).toEqual(expected);
});

test.each<[string, Changes, string[]]>([
  ['unschedulable', { 'spec/unschedulable': true }, []],
  ['another provider', { 'spec/providerID': 'a://c' }, ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid']],
  ['another pod range', { 'spec/podCIDR': '10.244.1.0/24', 'spec/podCIDRs': ['10.244.1.0/24'] }, ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid']],
])('update a node with %s', (_what, changes, expected) => {
  const old = created(node, changed(worker, { 'spec/providerID': 'a://b' }));
  expect(updateErrors(node, old, changed(old, changes))).toEqual(expected);
});

test('cells of a node', () => {
  const object: V1Node = {
    metadata: { name: 'n', labels: { 'node-role.kubernetes.io/control-plane': '', 'kubernetes.io/role': 'x' }, creationTimestamp: '2026-06-01T00:00:00Z' },
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Linux', kernelVersion: '6.1', containerRuntimeVersion: 'x://1', architecture: '', bootID: '', kubeProxyVersion: '', machineID: '', operatingSystem: '', systemUUID: '' },
    },
  };
  expect(cellsOf(node, object)).toEqual(['n', 'Ready,SchedulingDisabled', 'control-plane,x', '12h', 'v1.36.0', '192.0.2.1', '<none>', 'Linux', '6.1', 'x://1']);
  expect(cellsOf(node, { metadata: { name: 'n' } }).slice(0, 3)).toEqual(['n', 'Unknown', '<none>']);
});

test('warnings about old labels of nodes', () => {
  expect(node.warnings!(changed(worker, { 'spec/externalID': 'x' }), undefined)).toEqual(['spec.externalID: this field is deprecated, and is unused by Kubernetes']);
});

test('cells of a service account', () => {
  expect(cellsOf(serviceAccount, { metadata: { name: 'a', creationTimestamp: '2026-05-01T12:00:00Z' } })).toEqual(['a', '31d']);
});
