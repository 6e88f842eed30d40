import type { V1Job, V1JobSpec, V1Pod } from '../../api/generated/types.js';
import { JOBS, PODS } from '../../api/resource-refs.js';
import { conflictError, forbiddenError } from '../../api/status-error.js';
import { FakeApi } from '../testing/fake-api.js';
import { startControllers, testContext, type ControllerHarness } from '../testing/test-context.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { jobController } from './descriptor.js';

const labels = { 'job-name': 'work' };
const TRACKING = 'batch.kubernetes.io/job-tracking';
const job = (spec: Partial<V1JobSpec> = {}): V1Job => ({
  metadata: { namespace: 'ns', name: 'work', uid: 'job-uid' },
  spec: {
    parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false, podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } }, ...spec,
  },
});
const start = (spec: Partial<V1JobSpec> = {}, gracefulPods = false): Promise<ControllerHarness> =>
  startControllers([jobController], (api) => api.seed(JOBS, job(spec)), { gracefulPods });
const status = ({ api }: ControllerHarness) => api.find(JOBS, 'ns', 'work')?.status;
const conditions = (harness: ControllerHarness) => (status(harness)?.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason ?? ''}`);
const pods = ({ api }: ControllerHarness): V1Pod[] => api.all(PODS);
const live = (harness: ControllerHarness): V1Pod[] => pods(harness).filter((pod) => !pod.metadata?.deletionTimestamp && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed');
const indexOf = (pod: V1Pod) => pod.metadata?.annotations?.['batch.kubernetes.io/job-completion-index'];
const finish = async (harness: ControllerHarness, pod: V1Pod, phase: 'Succeeded' | 'Failed', exitCode = phase === 'Failed' ? 1 : 0): Promise<void> => {
  const finishedAt = timestamp(harness.api.clock.now());
  const state = { terminated: { exitCode, finishedAt } };
  harness.api.edit(PODS, 'ns', pod.metadata!.name!, () => ({ status: { phase, containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state }] } }));
  await rest(harness);
};
/** Longer than events are gathered. */
const rest = async (harness: ControllerHarness): Promise<void> => {
  for (let step = 0; step < 4; step++) await harness.settle(150);
};
const edit = async (harness: ControllerHarness, spec: object): Promise<void> => {
  harness.api.edit(JOBS, 'ns', 'work', () => ({ spec }));
  await rest(harness);
};

test('a job from its start to its completion', async () => {
  const harness = await start();
  const [pod] = pods(harness);
  expect(pod!.metadata).toMatchObject({ labels, finalizers: [TRACKING], ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: 'job-uid', controller: true, blockOwnerDeletion: true }] });
  expect(pod!.metadata!.name).toMatch(/^work-.{5}$/);
  expect(status(harness)).toEqual({ active: 1, ready: 0, terminating: 0, startTime: '2026-01-01T00:00:00Z', uncountedTerminatedPods: {} });
  harness.api.edit(PODS, 'ns', pod!.metadata!.name!, () => ({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }));
  await rest(harness);
  expect(status(harness)).toMatchObject({ active: 1, ready: 1 });
  await finish(harness, pod!, 'Succeeded');
  const done = status(harness)!;
  expect(done).toMatchObject({ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {}, completionTime: done.conditions![1]!.lastTransitionTime });
  expect(done.active).toBeUndefined();
  expect(conditions(harness)).toEqual(['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached']);
  expect(done.conditions![1]!.message).toBe('Reached expected number of succeeded pods');
  expect(pods(harness)[0]!.metadata!.finalizers).toEqual([]);
  expect(harness.events).toEqual([`Normal SuccessfulCreate Created pod: ${pod!.metadata!.name!}`, 'Normal Completed Job completed']);
  await harness.stop();
});

test('parallelism and completions', async () => {
  const harness = await start({ parallelism: 3, completions: 5 });
  expect(live(harness)).toHaveLength(3);
  await finish(harness, live(harness)[0]!, 'Succeeded');
  expect(live(harness)).toHaveLength(3);
  await finish(harness, live(harness)[0]!, 'Succeeded');
  await finish(harness, live(harness)[0]!, 'Succeeded');
  expect(live(harness)).toHaveLength(2);
  await edit(harness, { parallelism: 1 });
  expect(live(harness)).toHaveLength(1);
  expect(harness.events.filter((event) => event.includes('SuccessfulDelete Deleted pod: work-'))).toHaveLength(1);
  expect(status(harness)).toMatchObject({ active: 1, succeeded: 3 });
  await harness.stop();
});

test('without completions the first success ends it, once the others have ended', async () => {
  const harness = await startControllers([jobController], (api) => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec!;
    api.seed(JOBS, { ...job(), spec });
  });
  await finish(harness, live(harness)[0]!, 'Succeeded');
  expect(live(harness)).toHaveLength(1);
  expect(conditions(harness)).toEqual([]);
  await finish(harness, live(harness)[0]!, 'Failed');
  expect(conditions(harness)).toContain('Complete=True CompletionsReached');
  expect(status(harness)).toMatchObject({ succeeded: 1, failed: 1 });
  await harness.stop();
});

test('failed pods are replaced with growing delays until the back-off limit', async () => {
  const harness = await start({ backoffLimit: 2 });
  await finish(harness, live(harness)[0]!, 'Failed');
  expect(live(harness)).toHaveLength(0);
  expect(status(harness)).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
  await harness.settle(8_000);
  expect(live(harness)).toHaveLength(0);
  await harness.settle(2_000);
  expect(live(harness)).toHaveLength(1);
  await finish(harness, live(harness)[0]!, 'Failed');
  await harness.settle(18_000);
  expect(live(harness)).toHaveLength(0);
  await harness.settle(2_000);
  await finish(harness, live(harness)[0]!, 'Failed');
  expect(conditions(harness)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
  expect(status(harness)).toMatchObject({ failed: 3 });
  expect(status(harness)?.completionTime).toBeUndefined();
  expect(harness.events.at(-1)).toBe('Warning BackoffLimitExceeded Job has reached the specified backoff limit');
  await harness.stop();
});

test('restarts of containers count towards the limit with OnFailure; the pods that are left go', async () => {
  const harness = await start({ backoffLimit: 3, template: { metadata: { labels }, spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c' }] } } }, true);
  const name = pods(harness)[0]!.metadata!.name!;
  harness.api.edit(PODS, 'ns', name, () => ({ status: { phase: 'Running', containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 3 }] } }));
  await rest(harness);
  expect(conditions(harness)).toEqual(['FailureTarget=True BackoffLimitExceeded']);
  expect(status(harness)).toMatchObject({ failed: 1, terminating: 1 });
  harness.api.finishPod('ns', name);
  await rest(harness);
  expect(conditions(harness)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
  expect(status(harness)).toMatchObject({ failed: 1, terminating: 0 });
  await harness.stop();
});

test('a deadline ends the job on time', async () => {
  const harness = await start({ activeDeadlineSeconds: 60 });
  await harness.settle(58_000);
  expect(live(harness)).toHaveLength(1);
  await harness.settle(2_500);
  await rest(harness);
  expect(pods(harness)).toHaveLength(0);
  expect(conditions(harness)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
  expect(harness.events.at(-1)).toBe('Warning DeadlineExceeded Job was active longer than specified deadline');
  await harness.stop();
});

test('suspend deletes pods without counting them; resume starts time anew', async () => {
  const harness = await start({ parallelism: 2, completions: 2, activeDeadlineSeconds: 100 });
  await edit(harness, { suspend: true });
  expect(pods(harness)).toHaveLength(0);
  expect(status(harness)).toMatchObject({ conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }], ready: 0 });
  expect(status(harness)?.startTime).toBeUndefined();
  expect(status(harness)?.failed).toBeUndefined();
  await harness.settle(200_000);
  await edit(harness, { suspend: false });
  expect(live(harness)).toHaveLength(2);
  expect(conditions(harness)).toEqual(['Suspended=False JobResumed']);
  expect(Date.parse(status(harness)!.startTime!)).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1) + 200_000);
  expect(harness.events.filter((event) => event.includes('Job '))).toEqual(['Normal Suspended Job suspended', 'Normal Resumed Job resumed']);
  await harness.stop();
});

test('indexed: one pod per index, lowest first, and intervals', async () => {
  const harness = await start({ completionMode: 'Indexed', parallelism: 3, completions: 6 });
  expect(live(harness).map(indexOf).sort()).toEqual(['0', '1', '2']);
  const zero = live(harness).find((pod) => indexOf(pod) === '0')!;
  expect(zero.metadata!.name).toMatch(/^work-0-.{5}$/);
  expect(zero).toMatchObject({ metadata: { labels: { 'batch.kubernetes.io/job-completion-index': '0' } }, spec: { hostname: 'work-0', containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }] } });
  for (const index of ['0', '2', '1', '4']) await finish(harness, live(harness).find((pod) => indexOf(pod) === index)!, 'Succeeded');
  expect(status(harness)).toMatchObject({ completedIndexes: '0-2,4', succeeded: 4, active: 2 });
  await finish(harness, live(harness).find((pod) => indexOf(pod) === '3')!, 'Failed');
  await harness.settle(11_000);
  await rest(harness);
  for (const index of ['3', '5']) await finish(harness, live(harness).find((pod) => indexOf(pod) === index)!, 'Succeeded');
  expect(status(harness)).toMatchObject({ completedIndexes: '0-5', succeeded: 6, failed: 1 });
  expect(conditions(harness)).toContain('Complete=True CompletionsReached');
  await harness.stop();
});

test('limits per index: failures of an index are carried on, failed indexes fail the job in the end', async () => {
  const harness = await start({ completionMode: 'Indexed', parallelism: 2, completions: 2, backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 1 });
  const of = (index: string): V1Pod => live(harness).find((pod) => indexOf(pod) === index)!;
  await finish(harness, of('0'), 'Failed');
  // The failed pod waits for the one that follows it.
  expect(pods(harness).find((pod) => pod.status?.phase === 'Failed')!.metadata!.finalizers).toEqual([TRACKING]);
  await harness.settle(11_000);
  await rest(harness);
  expect(of('0').metadata!.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '1' });
  expect(status(harness)).toMatchObject({ failed: 1, failedIndexes: '' });
  await finish(harness, of('0'), 'Failed');
  expect(status(harness)).toMatchObject({ failed: 2, failedIndexes: '0' });
  expect(conditions(harness)).toEqual([]);
  await finish(harness, of('1'), 'Succeeded');
  expect(conditions(harness)).toEqual(['FailureTarget=True FailedIndexes', 'Failed=True FailedIndexes']);
  expect(status(harness)).toMatchObject({ completedIndexes: '1', failedIndexes: '0', succeeded: 1, failed: 2 });
  await harness.stop();
});

test('more failed indexes than allowed end the job at once', async () => {
  const harness = await start({ completionMode: 'Indexed', parallelism: 3, completions: 3, backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
  await finish(harness, live(harness)[0]!, 'Failed');
  expect(conditions(harness)).toEqual([]);
  await finish(harness, live(harness)[0]!, 'Failed');
  await rest(harness);
  expect(conditions(harness)).toEqual(['FailureTarget=True MaxFailedIndexesExceeded', 'Failed=True MaxFailedIndexesExceeded']);
  expect(live(harness)).toHaveLength(0);
  await harness.stop();
});

test('a failure policy fails the job, an index, or ignores', async () => {
  const rules = [
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
    { action: 'Ignore', onExitCodes: { operator: 'In', values: [43] } },
    { action: 'FailIndex', onExitCodes: { operator: 'In', values: [44] } },
  ];
  const harness = await start({ completionMode: 'Indexed', parallelism: 3, completions: 3, backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 5, podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' });
  const of = (index: string): V1Pod => live(harness).find((pod) => indexOf(pod) === index)!;
  await finish(harness, of('0'), 'Failed', 43);
  await harness.settle(11_000);
  await rest(harness);
  expect(of('0').metadata!.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '0', 'batch.kubernetes.io/job-index-ignored-failure-count': '1' });
  expect(status(harness)?.failed).toBeUndefined();
  await finish(harness, of('1'), 'Failed', 44);
  expect(status(harness)).toMatchObject({ failed: 1, failedIndexes: '1' });
  const last = of('2').metadata!.name!;
  await finish(harness, of('2'), 'Failed', 42);
  await rest(harness);
  expect(conditions(harness)).toEqual(['FailureTarget=True PodFailurePolicy', 'Failed=True PodFailurePolicy']);
  expect(status(harness)!.conditions![1]!.message).toBe(`Container c for pod ns/${last} failed with exit code 42 matching FailJob rule at index 0`);
  expect(live(harness)).toHaveLength(0);
  await harness.stop();
});

test('a success policy ends the job early; the pods left over are not counted as failed', async () => {
  const harness = await start({ completionMode: 'Indexed', parallelism: 3, completions: 3, successPolicy: { rules: [{ succeededIndexes: '1' }] } }, true);
  await finish(harness, live(harness).find((pod) => indexOf(pod) === '1')!, 'Succeeded');
  expect(conditions(harness)).toEqual(['SuccessCriteriaMet=True SuccessPolicy']);
  expect(status(harness)).toMatchObject({ terminating: 2 });
  for (const pod of pods(harness)) if (pod.metadata?.deletionTimestamp) harness.api.finishPod('ns', pod.metadata.name!);
  await rest(harness);
  expect(conditions(harness)).toEqual(['SuccessCriteriaMet=True SuccessPolicy', 'Complete=True SuccessPolicy']);
  expect(status(harness)).toMatchObject({ succeeded: 1, completedIndexes: '1', terminating: 0 });
  expect(status(harness)?.failed).toBeUndefined();
  await harness.stop();
});

test.each([['TerminatingOrFailed', 1, 1], ['Failed', 0, undefined]] as const)('pods that are being deleted are replaced: %s', async (podReplacementPolicy, replacements, failures) => {
  const harness = await start({ podReplacementPolicy }, true);
  const name = pods(harness)[0]!.metadata!.name!;
  await harness.api.resource(PODS).delete('ns', name);
  await rest(harness);
  await harness.settle(12_000);
  expect(live(harness)).toHaveLength(replacements);
  expect(status(harness)?.failed).toBe(failures);
  expect(status(harness)?.terminating).toBe(1);
  await finish(harness, pods(harness).find((pod) => pod.metadata?.name === name)!, 'Failed');
  await harness.settle(12_000);
  expect(live(harness)).toHaveLength(1);
  expect(status(harness)?.failed).toBe(1);
  await harness.stop();
});

test('adopts orphans that match, with the finalizer, and releases what no longer does', async () => {
  const harness = await startControllers([jobController], (api) => {
    api.seed(PODS, { metadata: { namespace: 'ns', name: 'orphan', labels }, spec: { containers: [{ name: 'c' }] } } as V1Pod);
    api.seed(JOBS, job());
  });
  expect(pods(harness).map((pod) => pod.metadata?.name)).toEqual(['orphan']);
  expect(pods(harness)[0]!.metadata).toMatchObject({ finalizers: [TRACKING], ownerReferences: [{ uid: 'job-uid' }] });
  harness.api.edit(PODS, 'ns', 'orphan', () => ({ metadata: { labels: { 'job-name': 'other' } } }));
  await rest(harness);
  expect(harness.api.find(PODS, 'ns', 'orphan')!.metadata).toMatchObject({ finalizers: [], ownerReferences: [] });
  expect(pods(harness)).toHaveLength(2);
  await harness.stop();
});

test('pods of a job that is gone lose their finalizer', async () => {
  const harness = await start();
  await harness.api.resource(JOBS).delete('ns', 'work');
  await rest(harness);
  expect(pods(harness)[0]!.metadata!.finalizers).toEqual([]);
  await harness.stop();
});

test('jobs of other controllers are left alone', async () => {
  const harness = await start({ managedBy: 'example.com/other' });
  expect(pods(harness)).toHaveLength(0);
  expect(status(harness)).toBeUndefined();
  await harness.stop();
});

test('a quota that refuses pods costs one request each time', async () => {
  const harness = await startControllers([jobController], (api) => {
    api.react = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'pods') throw forbiddenError({ group: '', resource: 'pods' }, 'x', 'exceeded quota');
      return undefined;
    };
    api.seed(JOBS, job({ parallelism: 10, completions: 10 }));
  });
  const attempts = () => harness.api.actions.filter(({ verb, resource }) => verb === 'create' && resource === 'pods').length;
  const first = attempts();
  expect(first).toBeLessThanOrEqual(2);
  expect(harness.events[0]).toMatch(/^Warning FailedCreate Error creating: .*exceeded quota/);
  await harness.settle(900);
  expect(attempts()).toBeLessThanOrEqual(first + 1);
  harness.api.react = () => undefined;
  await harness.settle(4_000);
  await rest(harness);
  expect(live(harness)).toHaveLength(10);
  await harness.stop();
});

test('does not create twice on a view that lags behind', async () => {
  const harness = await startControllers([jobController], (api) => api.memoryInformer(PODS).pause());
  harness.api.seed(JOBS, job({ parallelism: 2, completions: 2 }));
  await rest(harness);
  await edit(harness, { backoffLimit: 3 });
  expect(pods(harness)).toHaveLength(2);
  harness.api.memoryInformer(PODS).resume();
  await rest(harness);
  expect(pods(harness)).toHaveLength(2);
  await harness.stop();
});

// Exactly once: the controller dies at each of its requests in turn, and another one goes on.
test.each(Array.from({ length: 14 }, (_, i) => i))('counts each pod once although it crashed at request %i', async (crashAt) => {
  const api = new FakeApi();
  api.seed(JOBS, job({ parallelism: 2, completions: 2, backoffLimit: 1 }));
  let requests = 0;
  let dead = false;
  api.react = ({ verb }) => {
    if (verb === 'get') return undefined;
    if (requests++ === crashAt) dead = true;
    if (dead) throw conflictError({ group: '', resource: 'x' }, 'x', 'crashed');
    return undefined;
  };
  const run = async (): Promise<void> => {
    const controller = await jobController.start(testContext(api));
    for (let step = 0; step < 12; step++) {
      await api.clock.advance(150);
      // The first pod ever fails, the others succeed.
      for (const pod of api.all(PODS)) {
        if (pod.status?.phase) continue;
        const first = !api.all(PODS).some((other) => other.status?.phase);
        api.edit(PODS, 'ns', pod.metadata!.name!, () => ({ status: { phase: first ? 'Failed' : 'Succeeded' } }));
      }
    }
    await api.clock.advance(dead ? 0 : 11_000);
    await controller.stop();
  };
  await run();
  dead = false;
  api.react = () => undefined;
  for (let again = 0; again < 3; again++) await run();
  expect(api.find(JOBS, 'ns', 'work')?.status).toMatchObject({ succeeded: 2, failed: 1, uncountedTerminatedPods: {} });
  expect(api.all(PODS)).toHaveLength(3);
  expect(api.find(JOBS, 'ns', 'work')?.status?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
});
