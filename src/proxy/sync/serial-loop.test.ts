import { FakeClock } from '../../base/clock.js';
import { SerialLoop } from './serial-loop.js';

test('requests are put together, runs never overlap, and a run says when to come back', async () => {
  const clock = new FakeClock();
  const runs: number[] = [];
  const start = clock.monotonic();
  let finish: (() => void) | undefined;
  let again = 10_000;
  const loop = new SerialLoop(clock, 10, async () => {
    runs.push(clock.monotonic() - start);
    await new Promise<void>((resolve) => (finish = resolve));
    return again;
  });
  loop.request();
  loop.request();
  await clock.advance(10);
  expect(runs).toEqual([10]);
  // It still runs: what is asked for now comes after it.
  loop.request();
  await clock.advance(100);
  expect(runs).toEqual([10]);
  finish!();
  await clock.advance(10);
  expect(runs).toEqual([10, 120]);
  again = 500;
  finish!();
  await clock.advance(499);
  expect(runs).toHaveLength(2);
  await clock.advance(1);
  expect(runs).toEqual([10, 120, 620]);
  const stopped = loop.stop();
  finish!();
  await stopped;
  loop.request();
  await clock.advance(100_000);
  expect(runs).toHaveLength(3);
});
