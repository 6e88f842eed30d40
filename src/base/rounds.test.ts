import { FakeClock } from './clock.js';
import { Rounds } from './rounds.js';

test('the next round begins so long after the end of the last one as that said, and none after the stop', async () => {
  const clock = new FakeClock();
  const pauses = [0, 100, 50, 50];
  const began: number[] = [];
  let end: () => void = () => undefined;
  const rounds = new Rounds(clock, async () => {
    began.push(clock.monotonic());
    if (began.length === 3) await new Promise<void>((resolve) => (end = resolve));
    return pauses[began.length - 1]!;
  });
  const start = clock.monotonic();
  rounds.start(10);
  await clock.advance(9);
  expect(began).toEqual([]);
  await clock.advance(101);
  expect(began.map((time) => time - start)).toEqual([10, 10, 110]);
  // One that takes long is not overtaken.
  await clock.advance(1000);
  expect(began).toHaveLength(3);
  end();
  await clock.advance(49);
  expect(began).toHaveLength(3);
  await clock.advance(1);
  expect(began).toHaveLength(4);
  await rounds.stop();
  await clock.advance(1000);
  expect(began).toHaveLength(4);
  expect(clock.pending).toBe(0);
});

test('a stop waits for the round under way', async () => {
  const clock = new FakeClock();
  let end: () => void = () => undefined;
  const rounds = new Rounds(clock, () => new Promise((resolve) => (end = () => resolve(0))));
  rounds.start();
  let stopped = false;
  const stop = rounds.stop().then(() => (stopped = true));
  await clock.advance(1);
  expect(stopped).toBe(false);
  end();
  await stop;
  rounds.start(1);
  expect(clock.pending).toBe(0);
});
