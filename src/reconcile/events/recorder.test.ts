import type { CoreV1Event } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { notFoundError, serviceUnavailableError } from '../../api/status-error.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createClient, type TransportRequest } from '../../client/index.js';
import { createEventRecorder } from './recorder.js';

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'p', uid: 'u', resourceVersion: '3' } };

function setup(answer: (request: TransportRequest) => unknown = () => ({})) {
  const clock = new FakeClock();
  const requests: TransportRequest[] = [];
  const client = createClient({
    request: async (request) => {
      requests.push(request);
      return { code: 200, body: await answer(request), warnings: [] };
    },
    watch: () => Promise.reject(new Error('unused')),
    stream: () => Promise.reject(new Error('unused')),
    close: () => Promise.resolve(),
  });
  return { clock, requests, recorder: createEventRecorder({ client, component: 'test-controller', clock, random: new SeededRandom(), log: silentLogger }) };
}

test('an event is created, and counted when it comes again', async () => {
  const { clock, requests, recorder } = setup();
  recorder.event(pod, 'Normal', 'Started', 'it runs');
  await clock.advance(1000);
  recorder.event(pod, 'Normal', 'Started', 'it runs');
  await clock.advance(0);
  const created = requests[0]!.body as CoreV1Event;
  expect(created).toMatchObject({
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', uid: 'u', apiVersion: 'v1', resourceVersion: '3' },
    reason: 'Started', message: 'it runs', type: 'Normal', count: 1, source: { component: 'test-controller' }, reportingComponent: 'test-controller',
    firstTimestamp: '2026-01-01T00:00:00Z',
  });
  expect(created.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
  expect(requests[1]).toMatchObject({
    method: 'PATCH', path: `/api/v1/namespaces/ns/events/${created.metadata.name}`, contentType: 'application/strategic-merge-patch+json',
    body: { count: 2, lastTimestamp: '2026-01-01T00:00:01Z', message: 'it runs' },
  });
});

test('an event that the server forgot is created again', async () => {
  const { clock, requests, recorder } = setup((request) => {
    if (request.method === 'PATCH') throw notFoundError({ group: '', resource: 'events' }, 'x');
    return {};
  });
  recorder.event(pod, 'Warning', 'Failed', 'no');
  recorder.event(pod, 'Warning', 'Failed', 'no');
  await clock.advance(0);
  expect(requests.map((request) => request.method)).toEqual(['POST', 'PATCH', 'POST']);
  expect((requests[2]!.body as CoreV1Event).count).toBe(2);
});

test('the tenth different message of a reason is combined', async () => {
  const { clock, requests, recorder } = setup();
  for (let i = 1; i <= 12; i++) recorder.event(pod, 'Warning', 'Failed', `reason ${i}`);
  await clock.advance(0);
  expect(requests.map((request) => request.method)).toEqual([...Array<string>(10).fill('POST'), 'PATCH', 'PATCH']);
  expect((requests[9]!.body as CoreV1Event).message).toBe('(combined from similar events): reason 10');
  expect(requests[11]!.body).toMatchObject({ count: 3, message: '(combined from similar events): reason 12' });
});

test('25 events per object, then one each five minutes', async () => {
  const { clock, requests, recorder } = setup();
  for (let i = 0; i < 40; i++) recorder.event(pod, 'Normal', 'Again', 'same');
  await clock.advance(0);
  expect(requests).toHaveLength(25);
  await clock.advance(300_000);
  recorder.event(pod, 'Normal', 'Again', 'same');
  recorder.event(pod, 'Normal', 'Again', 'same');
  await clock.advance(0);
  expect(requests).toHaveLength(26);
});

test('a server that is away is tried again; a cluster-scoped object has its events in default', async () => {
  let down = true;
  const { clock, requests, recorder } = setup(() => {
    if (down) throw serviceUnavailableError('down');
    return {};
  });
  recorder.withComponent('other', 'host1').event({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'n' } }, 'Normal', 'Up', 'up');
  await clock.advance(0);
  down = false;
  await clock.advance(20_000);
  expect(requests.map((request) => request.path)).toEqual(['/api/v1/namespaces/default/events', '/api/v1/namespaces/default/events']);
  expect(requests[1]!.body).toMatchObject({ source: { component: 'other', host: 'host1' }, reportingInstance: 'host1' });
  await recorder.stop(1000);
});
