import * as fc from 'fast-check';
import type { V1Pod, V1PodFailurePolicy } from '../../api/generated/types.js';
import { backoffLeft, continueBackoff } from './backoff.js';
import { judgeFailure } from './failure-policy.js';
import { finishedTime } from './finished-time.js';
import { IndexSet } from './index-set.js';
import { indexPodNamePrefix, jobPodTemplate } from './pod-template.js';
import { matchSuccessPolicy } from './success-policy.js';

test.each([
  ['', 10, ''],
  ['1,2,3', 10, '1-3'],
  ['1-3,7-20', 10, '1-3,7-9'],
  ['0-1,4', 10, '0,1,4'],
  ['x,3', 10, '3'],
  ['12', 10, ''],
])('index set %s below %i', (text, completions, expected) => expect(IndexSet.parse(text, completions).toString()).toBe(expected));

test('index sets behave as sets', () => {
  const indexes = fc.uniqueArray(fc.integer({ min: 0, max: 40 }));
  fc.assert(fc.property(indexes, indexes, fc.integer({ min: 0, max: 45 }), fc.integer({ min: 0, max: 10 }), (a, b, completions, count) => {
    const [left, right] = [IndexSet.of(a), IndexSet.of(b)];
    const both = new Set([...a, ...b]);
    const union = left.union(right);
    expect(union.size).toBe(both.size);
    for (let i = 0; i <= 45; i++) expect(union.has(i)).toBe(both.has(i));
    expect(left.overlap(right)).toBe(a.filter((index) => b.includes(index)).length);
    expect(IndexSet.parse(union.toString(), 100).toString()).toBe(union.toString());
    const free = Array.from({ length: completions }, (_, i) => i).filter((i) => !both.has(i));
    expect(union.gaps(count, completions)).toEqual(free.slice(0, count));
  }));
});

const failed = (exitCode: number, name = 'main', extra: Partial<V1Pod['status']> = {}): V1Pod => ({
  metadata: { namespace: 'ns', name: 'p' },
  status: { phase: 'Failed', containerStatuses: [{ name, image: '', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode } } }], ...extra },
});

test.each<[string, V1PodFailurePolicy['rules'], V1Pod, object]>([
  ['no rule', [], failed(1), { counts: true }],
  ['In', [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }], failed(42), { counts: true, action: 'FailJob', jobMessage: 'Container main for pod ns/p failed with exit code 42 matching FailJob rule at index 0' }],
  ['not In', [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }], failed(43), { counts: true }],
  ['NotIn', [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [42] } }], failed(43), { counts: false, action: 'Ignore' }],
  ['NotIn takes no success', [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [42] } }], failed(0), { counts: true }],
  ['another container', [{ action: 'FailIndex', onExitCodes: { containerName: 'side', operator: 'In', values: [1] } }], failed(1), { counts: true }],
  ['this container', [{ action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [1] } }], failed(1), { counts: true, action: 'FailIndex' }],
  ['the first rule wins', [{ action: 'Count', onExitCodes: { operator: 'In', values: [1] } }, { action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }], failed(1), { counts: true, action: 'Count' }],
  ['condition', [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }], failed(1, 'main', { conditions: [{ type: 'DisruptionTarget', status: 'True' }] }), { counts: false, action: 'Ignore' }],
  ['condition fails the job', [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [9] } }, { action: 'FailJob', onPodConditions: [{ type: 'X', status: 'False' }] }], failed(1, 'main', { conditions: [{ type: 'X', status: 'False' }] }), { counts: true, action: 'FailJob', jobMessage: 'Pod ns/p has condition X matching FailJob rule at index 1' }],
])('failure policy: %s', (_, rules, pod, verdict) => expect(judgeFailure({ rules }, pod)).toEqual(verdict));

test.each([
  [[{ succeededCount: 2 }], '0', undefined],
  [[{ succeededCount: 2 }], '0,5', 'Matched rules at index 0'],
  [[{ succeededIndexes: '0-2' }], '0-1', undefined],
  [[{ succeededIndexes: '0-2', succeededCount: 2 }], '0-1', 'Matched rules at index 0'],
  [[{ succeededIndexes: '9' }, { succeededIndexes: '0' }], '0-1', 'Matched rules at index 1'],
  [[{ succeededCount: 0 }], '', undefined],
])('success policy %j with %s', (rules, succeeded, message) => expect(matchSuccessPolicy({ rules }, 10, IndexSet.parse(succeeded, 10))).toBe(message));

test('back-off doubles from 10 s to 10 minutes and starts anew after a success', () => {
  const at = (seconds: number): V1Pod => ({ status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: new Date(seconds * 1000).toISOString() }] } });
  const wait = (failures: number) => backoffLeft({ failuresSinceSuccess: failures, lastFailure: 0 }, 0) / 1000;
  expect([0, 1, 2, 3, 6, 7, 30].map(wait)).toEqual([0, 10, 20, 40, 320, 600, 600]);
  expect(backoffLeft({ failuresSinceSuccess: 1, lastFailure: 0 }, 11_000)).toBe(0);
  const two = continueBackoff({ failuresSinceSuccess: 1, lastFailure: 1000 }, [], [at(5)]);
  expect(two).toEqual({ failuresSinceSuccess: 2, lastFailure: 5000 });
  expect(continueBackoff(two, [], [])).toBe(two);
  expect(continueBackoff(two, [at(7)], [at(6), at(8)])).toEqual({ failuresSinceSuccess: 1, lastFailure: 8000 });
  expect(continueBackoff(two, [at(7)], [at(6)])).toEqual({ failuresSinceSuccess: 0 });
});

test('when a pod finished', () => {
  const time = (second: number) => new Date(second * 1000).toISOString();
  const status = (name: string, finishedAt?: string) => ({ name, image: '', imageID: '', ready: false, restartCount: 0, ...(finishedAt ? { state: { terminated: { exitCode: 1, finishedAt } } } : {}) });
  const base: V1Pod = {
    metadata: { creationTimestamp: time(1), deletionTimestamp: time(40), deletionGracePeriodSeconds: 30 },
    spec: { containers: [], initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'init' }] },
  };
  const seconds = (pod: V1Pod): number => finishedTime(pod) / 1000;
  expect(seconds({ ...base, status: { containerStatuses: [status('a', time(20)), status('b', time(21))], initContainerStatuses: [status('side', time(25)), status('init')] } })).toBe(25);
  expect(seconds({ ...base, status: { containerStatuses: [status('a', time(20)), status('b')], conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: time(15) }] } })).toBe(15);
  expect(seconds(base)).toBe(10);
  expect(seconds({ metadata: { creationTimestamp: time(1) } })).toBe(1);
});

test('names and variables of indexed pods', () => {
  expect(indexPodNamePrefix('job', 7)).toBe('job-7-');
  expect(indexPodNamePrefix('a'.repeat(63), 12)).toBe(`${'a'.repeat(54)}-12-`);
  const spec = { containers: [{ name: 'c', env: [{ name: 'JOB_COMPLETION_INDEX', value: 'own' }] }, { name: 'd' }], initContainers: [{ name: 'i' }] };
  const variable = [{ name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } } }];
  expect(jobPodTemplate({ spec: { template: { metadata: { finalizers: ['x/y'] }, spec } } }, true)).toEqual({
    metadata: { finalizers: ['x/y', 'batch.kubernetes.io/job-tracking'] },
    spec: { containers: [spec.containers[0], { name: 'd', env: variable }], initContainers: [{ name: 'i', env: variable }] },
  });
});
