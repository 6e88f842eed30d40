import type { V1Lease } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, type Changes } from '../scheme/testing.js';
import { lease } from './lease.js';

const held: V1Lease = { metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 } };

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no duration', { 'spec/leaseDurationSeconds': 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
  ['negative transitions', { 'spec/leaseTransitions': -1 }, ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(lease, changed(held, changes))).toEqual(expected);
});

test('fields of coordinated leader election are dropped', () => {
  expect(created(lease, changed(held, { 'spec/strategy': 'x', 'spec/preferredHolder': 'b' })).spec).toEqual(held.spec);
});

test('leases are created by an update, and show their holder', () => {
  expect(lease.allowCreateOnUpdate).toBe(true);
  expect(cellsOf(lease, held)).toEqual(['l', 'a', '<unknown>']);
});
