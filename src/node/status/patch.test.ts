import { statusPatch } from './patch.js';

test('nothing changed, nothing to write', () => {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expect(statusPatch('u', status, { ...status, containerStatuses: [] })).toBeUndefined();
});

test('only what changed is written, and conditions of others are left alone', () => {
  const patch = statusPatch(
    'u',
    { phase: 'Pending', reason: 'Old', podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'False', reason: 'X', message: 'm' }, { type: 'example.com/lb', status: 'True' }, { type: 'PodScheduled', status: 'True' }, { type: 'AllContainersRestarting', status: 'False' }] },
    { phase: 'Running', podIPs: [{ ip: '10.0.0.2' }], conditions: [{ type: 'Ready', status: 'True' }, { type: 'PodScheduled', status: 'True' }] },
  );
  expect(patch).toEqual({
    metadata: { uid: 'u' },
    status: {
      phase: 'Running',
      reason: null,
      podIPs: [{ $patch: 'replace' }, { ip: '10.0.0.2' }],
      conditions: [{ type: 'Ready', status: 'True', reason: null, message: null }, { $patch: 'delete', type: 'AllContainersRestarting' }],
    },
  });
});
