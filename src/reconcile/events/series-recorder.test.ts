import type { EventsV1Event } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createClient, type TransportRequest } from '../../client/index.js';
import { createSeriesEventRecorder } from './series-recorder.js';

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'p', uid: 'u', resourceVersion: '3' } };

function setup() {
  const clock = new FakeClock();
  const requests: TransportRequest[] = [];
  const client = createClient({
    request: (request) => {
      requests.push(request);
      return Promise.resolve({ code: 200, body: {}, warnings: [] });
    },
    watch: () => Promise.reject(new Error('unused')),
    stream: () => Promise.reject(new Error('unused')),
    close: () => Promise.resolve(),
  });
  return { clock, requests, recorder: createSeriesEventRecorder({ client, component: 'default-scheduler', hostname: 'h', clock, random: new SeededRandom(), log: silentLogger }) };
}

test('the second event makes a series, later ones are counted until it ends', async () => {
  const { clock, requests, recorder } = setup();
  for (let i = 0; i < 5; i++) recorder.event(pod, 'Warning', 'FailedScheduling', `no ${i}`, { action: 'Scheduling' });
  await clock.advance(0);
  const created = requests[0]!.body as EventsV1Event;
  expect(created).toMatchObject({
    eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'default-scheduler', reportingInstance: 'default-scheduler-h', action: 'Scheduling',
    regarding: { kind: 'Pod', namespace: 'ns', name: 'p', uid: 'u', apiVersion: 'v1', resourceVersion: '3' }, note: 'no 0', reason: 'FailedScheduling', type: 'Warning',
  });
  const path = `/apis/events.k8s.io/v1/namespaces/ns/events/${created.metadata!.name}`;
  expect(requests.slice(1)).toMatchObject([{ method: 'PATCH', path, body: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } } }]);
  await clock.advance(360_000);
  expect(requests.slice(2)).toMatchObject([{ method: 'PATCH', path, body: { series: { count: 5 } } }]);
  recorder.event(pod, 'Warning', 'FailedScheduling', 'again', { action: 'Scheduling' });
  await clock.advance(0);
  expect(requests.slice(3)).toMatchObject([{ method: 'POST' }]);
  await recorder.stop(1000);
});

test('another version of the object is another event; the second object is named', async () => {
  const { clock, requests, recorder } = setup();
  recorder.event(pod, 'Normal', 'Preempted', 'x', { action: 'Preempting', related: { ...pod, metadata: { name: 'q', namespace: 'ns' } } });
  recorder.event({ ...pod, metadata: { ...pod.metadata, resourceVersion: '4' } }, 'Normal', 'Preempted', 'x', { action: 'Preempting' });
  await clock.advance(0);
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  expect(requests[0]!.body).toMatchObject({ related: { name: 'q', namespace: 'ns' } });
  await recorder.stop(1000);
});
