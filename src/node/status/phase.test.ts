import type { V1Container, V1ContainerState, V1ContainerStatus, V1PodSpec } from '../../api/generated/types.js';
import { podPhase } from './phase.js';

const waiting: V1ContainerState = { waiting: { reason: 'x' } };
const running: V1ContainerState = { running: {} };
const exit = (exitCode: number): V1ContainerState => ({ terminated: { exitCode } });
const status = (name: string, state: V1ContainerState, lastState: V1ContainerState = {}, started = true): V1ContainerStatus => ({ name, image: '', imageID: '', ready: true, restartCount: 0, state, lastState, started });
const spec = (restartPolicy: string, more: Partial<V1PodSpec> = {}, own: Partial<V1Container> = {}): V1PodSpec => ({ restartPolicy, containers: [{ name: 'a', ...own }, { name: 'b' }], ...more });

test.each<[string, V1PodSpec, readonly V1ContainerStatus[], boolean, string]>([
  ['nothing known', spec('Always'), [], false, 'Pending'],
  ['one waits', spec('Always'), [status('a', running), status('b', waiting)], false, 'Pending'],
  ['all run', spec('Always'), [status('a', running), status('b', running)], false, 'Running'],
  ['one runs, one ended', spec('Never'), [status('a', running), status('b', exit(1))], false, 'Running'],
  ['both ended, Always', spec('Always'), [status('a', exit(0)), status('b', exit(1))], false, 'Running'],
  ['both ended, Always, ending', spec('Always'), [status('a', exit(0)), status('b', exit(0))], true, 'Succeeded'],
  ['one failed, ending', spec('Always'), [status('a', exit(0)), status('b', exit(1))], true, 'Failed'],
  ['OnFailure, one failed', spec('OnFailure'), [status('a', exit(0)), status('b', exit(1))], false, 'Running'],
  ['OnFailure, both fine', spec('OnFailure'), [status('a', exit(0)), status('b', exit(0))], false, 'Succeeded'],
  ['Never, one failed', spec('Never'), [status('a', exit(0)), status('b', exit(1))], false, 'Failed'],
  ['backing off counts as stopped', spec('Always'), [status('a', waiting, exit(1)), status('b', waiting, exit(1))], false, 'Running'],
  ['backing off, ending', spec('Always'), [status('a', waiting, exit(0)), status('b', exit(0))], true, 'Failed'],
  ['own policy beats the pod\'s', spec('Never', {}, { restartPolicy: 'Always' }), [status('a', exit(1)), status('b', exit(0))], false, 'Running'],
  ['own rule restarts', spec('Never', {}, { restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }] }), [status('a', exit(42)), status('b', exit(0))], false, 'Running'],
  ['init not through', spec('Always', { initContainers: [{ name: 'i' }] }), [status('i', running), status('a', waiting), status('b', waiting)], false, 'Pending'],
  ['init failed for good', spec('Never', { initContainers: [{ name: 'i' }] }), [status('i', exit(1)), status('a', waiting), status('b', waiting)], false, 'Failed'],
  ['init failed, comes back', spec('Always', { initContainers: [{ name: 'i' }] }), [status('i', exit(1)), status('a', waiting), status('b', waiting)], false, 'Pending'],
  ['sidecar not started', spec('Always', { initContainers: [{ name: 's', restartPolicy: 'Always' }] }), [status('s', running, {}, false), status('a', running), status('b', running)], false, 'Pending'],
  ['a running sidecar does not keep the rest', spec('Never', { initContainers: [{ name: 's', restartPolicy: 'Always' }] }), [status('s', exit(137)), status('a', exit(0)), status('b', exit(0))], false, 'Succeeded'],
])('%s', (_what, podSpec, statuses, ending, expected) => {
  expect(podPhase({ spec: podSpec, statuses, ending, initialized: false })).toBe(expected);
});
