import type { V1CronJob, V1CronJobSpec, V1Job } from '../../api/generated/types.js';
import { CRON_JOBS, JOBS } from '../../api/resource-refs.js';
import { FakeClock } from '../../base/clock.js';
import { parseCronSchedule } from '../../api/helpers/cron-schedule.js';
import { TimeZone } from '../../api/helpers/time-zone.js';
import { ownerReferenceTo } from '../testing/memory-collection.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { cronJobController } from './descriptor.js';
import { missedTimes, untilNext } from './schedule.js';

const START = Date.UTC(2026, 0, 1, 10, 30, 30);
const MINUTE = 60_000;
const cronJob = (spec: Partial<V1CronJobSpec> = {}, status: V1CronJob['status'] = {}): V1CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { namespace: 'ns', name: 'tick', uid: 'cron-uid', creationTimestamp: timestamp(START) },
  spec: {
    schedule: '* * * * *', timeZone: 'UTC', concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1,
    jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } } } },
    ...spec,
  },
  status,
});
const start = (spec: Partial<V1CronJobSpec> = {}, status: V1CronJob['status'] = {}, at = START): Promise<ControllerHarness> =>
  startControllers([cronJobController], (api) => api.seed(CRON_JOBS, cronJob(spec, status)), { clock: new FakeClock(at) });
const names = ({ api }: ControllerHarness): string[] => api.all(JOBS).map((job) => job.metadata?.name ?? '');
const status = ({ api }: ControllerHarness) => api.find(CRON_JOBS, 'ns', 'tick')?.status;
const nameAt = (time: number): string => `tick-${Math.floor(time / MINUTE)}`;
const end = ({ api }: ControllerHarness, name: string, type: 'Complete' | 'Failed'): V1Job =>
  api.edit(JOBS, 'ns', name, () => ({ status: { startTime: timestamp(api.clock.now()), conditions: [{ type, status: 'True' }], ...(type === 'Complete' ? { completionTime: timestamp(api.clock.now()) } : {}) } }));

test('a job each time it is due, named and marked after the time', async () => {
  const harness = await start();
  expect(names(harness)).toEqual([]);
  await harness.settle(31_000);
  expect(names(harness)).toEqual([nameAt(START + 30_000)]);
  expect(harness.api.all(JOBS)[0]).toMatchObject({
    metadata: {
      labels: { a: 'b' }, annotations: { c: 'd', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T10:31:00Z' },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: 'cron-uid', controller: true, blockOwnerDeletion: true }],
    },
    spec: { template: { spec: { restartPolicy: 'Never' } } },
  });
  expect(status(harness)).toMatchObject({ lastScheduleTime: '2026-01-01T10:31:00Z', active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: 'ns', name: nameAt(START + 30_000) }] });
  await harness.settle(2 * MINUTE);
  expect(names(harness)).toHaveLength(3);
  expect(harness.events).toContain(`Normal SuccessfulCreate Created job ${nameAt(START + 30_000)}`);
  await harness.stop();
});

test('the annotation has the time at the place of the schedule', async () => {
  const harness = await start({ schedule: '31 11 * * *', timeZone: 'Europe/Berlin' });
  await harness.settle(31_000);
  expect(harness.api.all(JOBS)[0]?.metadata?.annotations).toMatchObject({ 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T11:31:00+01:00' });
  await harness.stop();
});

test('finished jobs leave the list; success is dated; the history is kept short', async () => {
  const harness = await start({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
  await harness.settle(31_000);
  const first = names(harness)[0]!;
  end(harness, first, 'Complete');
  await harness.settle();
  expect(status(harness)).toEqual({ lastScheduleTime: '2026-01-01T10:31:00Z', lastSuccessfulTime: '2026-01-01T10:31:01Z' });
  expect(harness.events.at(-1)).toBe(`Normal SawCompletedJob Saw completed job: ${first}, condition: Complete`);
  await harness.settle(MINUTE);
  const second = names(harness)[1]!;
  end(harness, second, 'Complete');
  await harness.settle();
  expect(names(harness)).toEqual([second]);
  expect(harness.events).toContain(`Normal SuccessfulDelete Deleted job ${first}`);
  await harness.settle(MINUTE);
  end(harness, names(harness)[1]!, 'Failed');
  await harness.settle();
  expect(names(harness)).toEqual([second]);
  expect(status(harness)?.active).toBeUndefined();
  await harness.stop();
});

test('Forbid waits for the running job and then catches up', async () => {
  const harness = await start({ concurrencyPolicy: 'Forbid' });
  await harness.settle(31_000);
  const first = names(harness)[0]!;
  await harness.settle(MINUTE + 30_000);
  expect(names(harness)).toEqual([first]);
  expect(harness.events.filter((event) => event.includes('JobAlreadyActive'))).not.toHaveLength(0);
  end(harness, first, 'Complete');
  await harness.settle();
  expect(names(harness)).toEqual([first, nameAt(START + 90_000)]);
  await harness.stop();
});

test('Replace deletes the running job', async () => {
  const harness = await start({ concurrencyPolicy: 'Replace' });
  await harness.settle(31_000);
  const first = names(harness)[0]!;
  await harness.settle(MINUTE);
  expect(names(harness)).toEqual([nameAt(START + 90_000)]);
  expect(harness.events).toContain(`Normal SuccessfulDelete Deleted job ${first}`);
  expect(status(harness)?.active?.map((reference) => reference.name)).toEqual([nameAt(START + 90_000)]);
  await harness.stop();
});

test('suspended: nothing, and the latest missed time on resume', async () => {
  const harness = await start({ suspend: true });
  await harness.settle(10 * MINUTE);
  expect(names(harness)).toEqual([]);
  harness.api.edit(CRON_JOBS, 'ns', 'tick', () => ({ spec: { suspend: false } }));
  await harness.settle();
  expect(names(harness)).toEqual([nameAt(START + 10 * MINUTE)]);
  await harness.stop();
});

test('a start that is too late is missed', async () => {
  // Half a minute late for 10:30, and the deadline is five seconds.
  const harness = await start({ schedule: '30 * * * *', startingDeadlineSeconds: 5 }, { lastScheduleTime: '2026-01-01T09:30:00Z' });
  expect(names(harness)).toEqual([]);
  await harness.settle(60 * MINUTE);
  expect(names(harness)).toEqual([nameAt(Date.UTC(2026, 0, 1, 11, 30))]);
  await harness.stop();
});

test('more than a hundred missed times are told about', async () => {
  const harness = await start({}, { lastScheduleTime: timestamp(START - 200 * MINUTE) });
  expect(names(harness)).toEqual([nameAt(START)]);
  expect(harness.events[0]).toBe('Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew');
  await harness.stop();
});

test('a job whose status could not be written is found again', async () => {
  const harness = await startControllers([cronJobController], (api) => {
    const owner = api.seed(CRON_JOBS, cronJob({}, { lastScheduleTime: timestamp(START - 90_000) }));
    api.seed(JOBS, { metadata: { namespace: 'ns', name: nameAt(START), ownerReferences: [ownerReferenceTo(owner)] } } as V1Job);
  }, { clock: new FakeClock(START) });
  expect(names(harness)).toEqual([nameAt(START)]);
  expect(status(harness)).toMatchObject({ active: [{ name: nameAt(START) }], lastScheduleTime: '2026-01-01T10:30:00Z' });
  expect(harness.events).toContain(`Warning UnexpectedJob Saw a job that the controller did not create or forgot: ${nameAt(START)}`);
  await harness.stop();
});

test('active jobs that are gone leave the list', async () => {
  const harness = await start();
  await harness.settle(31_000);
  await harness.api.resource(JOBS).delete('ns', names(harness)[0]!);
  await harness.settle();
  expect(status(harness)?.active).toBeUndefined();
  expect(harness.events.at(-1)).toBe(`Normal MissingJob Active job went missing: ${nameAt(START + 30_000)}`);
  await harness.stop();
});

test('what the API would refuse today is told about', async () => {
  const zone = await start({ timeZone: 'Mars/Base' });
  expect(zone.events).toEqual(['Warning UnknownTimeZone invalid timeZone: "Mars/Base": unknown time zone Mars/Base']);
  await zone.stop();
  const schedule = await start({ schedule: 'x' });
  expect(schedule.events).toEqual(['Warning UnparseableSchedule unparseable schedule: "x" : expected exactly 5 fields, found 1: [x]']);
  await schedule.stop();
  const never = await start({ schedule: '59 23 31 2 *' });
  expect(never.events).toEqual(['Warning InvalidSchedule invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second']);
  await never.stop();
});

test('a changed schedule counts from now on', async () => {
  const harness = await start({ schedule: '0 0 1 1 *' });
  harness.api.edit(CRON_JOBS, 'ns', 'tick', () => ({ spec: { schedule: '*/5 * * * *' } }));
  await harness.settle(5 * MINUTE);
  expect(names(harness)).toEqual([nameAt(Date.UTC(2026, 0, 1, 10, 35))]);
  await harness.stop();
});

const at = (text: string): number => Date.parse(text);
test.each<[string, string, string, number | undefined, string | undefined, string]>([
  ['0 * * * *', '2016-05-19T09:00:00Z', '2016-05-19T10:30:00Z', undefined, '2016-05-19T10:00:00Z', 'none'],
  ['0 * * * *', '2016-05-19T10:00:00Z', '2016-05-19T10:30:00Z', undefined, undefined, 'none'],
  ['0 * * * *', '2016-05-19T08:00:00Z', '2016-05-19T10:30:00Z', undefined, '2016-05-19T10:00:00Z', 'few'],
  ['0 * * * *', '2016-01-01T08:00:00Z', '2016-05-19T10:30:00Z', undefined, '2016-05-19T10:00:00Z', 'many'],
  ['0 * * * *', '2016-01-01T08:00:00Z', '2016-05-19T10:30:00Z', 3600, '2016-05-19T10:00:00Z', 'none'],
  ['30 6-16/4 * * 1-5', '2022-11-08T15:00:00Z', '2022-11-14T08:00:00Z', undefined, '2022-11-14T06:30:00Z', 'few'],
  ['@every 1h', '2022-11-08T15:00:30Z', '2022-11-08T18:20:00Z', undefined, '2022-11-08T18:00:30Z', 'few'],
])('%s since %s at %s', (schedule, last, now, startingDeadlineSeconds, latest, missed) => {
  const subject = cronJob(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }, { lastScheduleTime: last });
  const found = missedTimes(subject, { schedule: parseCronSchedule(schedule), timeZone: new TimeZone('UTC') }, at(now), true);
  expect([found.latest && timestamp(found.latest), found.missed]).toEqual([latest, missed]);
});

test('the next look comes just after the next time', () => {
  const times = { schedule: parseCronSchedule('0 * * * *'), timeZone: new TimeZone('UTC') };
  expect(untilNext(cronJob({}, { lastScheduleTime: '2026-01-01T10:00:00Z' }), times, START)).toBe(29 * MINUTE + 30_000 + 100);
});
