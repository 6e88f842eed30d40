import { FakeClock } from '../base/clock.js';
import { silentLogger } from '../base/log.js';
import { MemoryStore } from '../storage/index.js';
import { Compactor } from './compactor.js';

const MINUTES = 60_000;

test('what happened more than five minutes ago is forgotten, and told', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const told: number[] = [];
  const compactor = new Compactor(store, clock, silentLogger, (before) => told.push(before));
  const write = (key: string): Promise<unknown> => store.transact([], [{ type: 'put', key, value: Buffer.from('x') }]);
  compactor.start();
  await write('/a');
  await clock.advance(5 * MINUTES);
  const then = await store.currentRevision();
  await write('/b');
  await clock.advance(5 * MINUTES);
  await Promise.resolve();
  expect(told.at(-1)).toBe(then);
  compactor.stop();
  await clock.advance(10 * MINUTES);
  expect(told.length).toBe(2);
  await store.close();
});
