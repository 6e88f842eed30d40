import { FakeClock } from '../../base/clock.js';
import { silentLogger, type Logger } from '../../base/log.js';
import { createWorkQueue } from './work-queue.js';
import { runWorkers } from './workers.js';

test('a key waits once and is never worked on twice at the same time', async () => {
  const queue = createWorkQueue({ clock: new FakeClock() });
  queue.add('a');
  queue.add('a');
  queue.add('b');
  expect(queue.length).toBe(2);
  expect(await queue.next()).toBe('a');
  queue.add('a');
  expect(await queue.next()).toBe('b');
  expect(queue.length).toBe(0);
  queue.done('a');
  expect(await queue.next()).toBe('a');
  queue.done('a');
  queue.done('b');
  expect(queue.length).toBe(0);
});

test('of several delays of a key the earliest counts', async () => {
  const clock = new FakeClock();
  const queue = createWorkQueue({ clock });
  queue.addAfter('a', 1000);
  queue.addAfter('a', 100);
  queue.addAfter('a', 500);
  await clock.advance(99);
  expect(queue.length).toBe(0);
  await clock.advance(1);
  expect(queue.length).toBe(1);
  await queue.next();
  queue.done('a');
  await clock.advance(5000);
  expect(queue.length).toBe(0);
});

test('back-off doubles from 5 ms to 1000 s and is forgotten', async () => {
  const clock = new FakeClock();
  const queue = createWorkQueue({ clock });
  const wait = async (): Promise<number> => {
    const from = clock.monotonic();
    queue.addRateLimited('a');
    const next = queue.next();
    let woken = 0;
    void next.then(() => (woken = clock.monotonic()));
    await clock.advance(1_000_000);
    queue.done('a');
    return woken - from;
  };
  expect([await wait(), await wait(), await wait()]).toEqual([5, 10, 20]);
  for (let i = 0; i < 20; i++) await wait();
  expect(await wait()).toBe(1_000_000);
  queue.forget('a');
  expect(await wait()).toBe(5);
});

test('closing wakes the waiters, drops timers and later additions', async () => {
  const clock = new FakeClock();
  const queue = createWorkQueue({ clock });
  queue.addAfter('a', 10);
  const next = queue.next();
  queue.close();
  queue.add('b');
  expect(await next).toBeUndefined();
  expect(clock.pending).toBe(0);
  expect(queue.length).toBe(0);
});

test('workers retry failures, obey requeueAfter and let bugs rest', async () => {
  const clock = new FakeClock();
  const queue = createWorkQueue({ clock });
  const bugs: string[] = [];
  const log: Logger = { ...silentLogger, error: (message) => bugs.push(message) };
  const seen: string[] = [];
  const workers = runWorkers({
    name: 'test', queue, workers: 2, clock, log,
    reconcile: (key) => {
      seen.push(`${key}@${clock.monotonic() - start}`);
      if (key === 'bug') return Promise.reject(new TypeError('undefined is not a function'));
      if (key === 'flaky' && seen.filter((other) => other.startsWith('flaky')).length < 3) return Promise.reject(new Error('no'));
      return Promise.resolve(key === 'later' && seen.length < 6 ? { requeueAfterMilliseconds: 100 } : undefined);
    },
  });
  const start = clock.monotonic();
  queue.add('bug');
  queue.add('flaky');
  queue.add('later');
  await clock.advance(10_000);
  expect(seen).toEqual(['bug@0', 'flaky@0', 'later@0', 'flaky@5', 'flaky@15', 'later@100']);
  expect(bugs).toHaveLength(1);
  await workers.stop();
});

test('stopping waits for the reconcile under way', async () => {
  const clock = new FakeClock();
  const queue = createWorkQueue({ clock });
  let finish = (): void => undefined;
  const workers = runWorkers({ name: 'test', queue, clock, log: silentLogger, reconcile: () => new Promise<void>((resolve) => (finish = resolve)) });
  queue.add('a');
  await clock.advance(0);
  let stopped = false;
  const stopping = workers.stop().then(() => (stopped = true));
  await clock.advance(0);
  expect(stopped).toBe(false);
  finish();
  await stopping;
});
