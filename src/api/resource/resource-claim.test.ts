import type { ResourceV1ResourceClaim } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { resourceClaimTemplate } from './resource-claim-template.js';
import { resourceClaim } from './resource-claim.js';

const claim: ResourceV1ResourceClaim = { metadata: { name: 'c', namespace: 'default' }, spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } } };
const stored = created(resourceClaim, claim);
const result = { request: 'r', driver: 'a.b', pool: 'p', device: 'd' };

test('one device unless said otherwise', () => {
  expect(stored.spec.devices!.requests![0]!.exactly).toEqual({ deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 });
});

const REQUEST = 'spec.devices.requests[0]';

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['neither kind of request', { 'spec/devices/requests/0': { name: 'r' } }, [`${REQUEST}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`]],
  ['no class', { 'spec/devices/requests/0/exactly': {} }, [`${REQUEST}.exactly.deviceClassName: Required value`]],
  ['a mode', { 'spec/devices/requests/0/exactly/allocationMode': 'Some' }, [
    `${REQUEST}.exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`,
  ]],
  ['the same request twice', { 'spec/devices/requests/1': claim.spec.devices!.requests![0] }, ['spec.devices.requests[1]: Duplicate value: "r"']],
  ['a constraint on nothing', { 'spec/devices/constraints': [{ requests: ['x'], matchAttribute: 'a.b/c' }] }, [
    "spec.devices.constraints[0].requests[0]: Invalid value: \"x\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  ]],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(resourceClaim, changed(claim, changes))).toEqual(expected);
});

test('a claim does not change', () => {
  expect(updateErrors(resourceClaim, stored, changed(stored, { 'spec/devices/requests/0/exactly/count': 2 }))).toEqual([
    'spec: Invalid value: {"Devices":{"Requests":[{"Name":"r","Exactly":{"DeviceClassName":"gpu","Selectors":null,"AllocationMode":"ExactCount","Count":2,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}: field is immutable',
  ]);
});

test('what is known of devices goes with their allocation', () => {
  const allocated = updated(resourceClaim, stored, changed(stored, { 'status/allocation/devices/results': [result], 'status/devices': [{ driver: 'a.b', pool: 'p', device: 'd' }] }), 'status');
  expect(allocated.status!.devices).toHaveLength(1);
  expect(updated(resourceClaim, allocated, changed(allocated, { 'status/allocation': undefined }), 'status').status).toEqual({});
});

test('the state of a claim', () => {
  const state = (changes: Changes): unknown => cellsOf(resourceClaim, changed(stored, changes))[1];
  expect(state({})).toBe('pending');
  expect(state({ 'status/allocation': {}, 'status/reservedFor': [{ resource: 'pods', name: 'p', uid: 'u' }] })).toBe('allocated,reserved');
  expect(state({ 'status/allocation': {}, 'metadata/deletionTimestamp': '2026-06-01T12:00:00Z' })).toBe('deleted,allocated');
});

test('access for administrators is for namespaces with the label', () => {
  const context = (labels?: Record<string, string>) => ({ now: 0, userName: '', namespaceLabels: (name: string) => (name === 'default' ? labels : undefined) });
  const admin = changed(claim, { 'spec/devices/requests/0/exactly/adminAccess': true }) as ResourceV1ResourceClaim;
  const template = { metadata: { name: 't', namespace: 'default' }, spec: { spec: admin.spec } };
  const granted = changed(stored, { 'status/allocation/devices/results': [{ ...result, adminAccess: true }] }) as ResourceV1ResourceClaim;
  const words = (path: string): string => `${path}.adminAccess: Forbidden: admin access to devices requires the \`resource.kubernetes.io/admin-access: true\` label on the containing namespace`;
  const told = (labels?: Record<string, string>): string[] =>
    [...createErrors(resourceClaim, admin, context(labels)), ...createErrors(resourceClaimTemplate, template, context(labels)), ...updateErrors(resourceClaim, stored, granted, 'status', context(labels))];
  expect(told()).toEqual([words(REQUEST), words(REQUEST), words('status.allocation.devices.results[0]')]);
  expect(told({ 'resource.kubernetes.io/admin-access': 'yes' })).toHaveLength(3);
  expect(told({ 'resource.kubernetes.io/admin-access': 'true' })).toEqual([]);
  expect(updateErrors(resourceClaim, granted, granted, 'status', context())).toEqual([]);
});
