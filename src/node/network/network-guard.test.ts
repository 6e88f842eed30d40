import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { NetworkGuard } from './network-guard.js';

test('rules are looked at every 30 seconds, also after a failure, and no more once it is stopped', async () => {
  const clock = new FakeClock();
  let looks = 0;
  const repair = (): Promise<boolean> => {
    looks += 1;
    return looks === 1 ? Promise.reject(new Error('no nft')) : Promise.resolve(true);
  };
  const guard = new NetworkGuard({ repair }, { clock, log: silentLogger });
  await guard.start();
  expect(looks).toBe(0);
  await clock.advance(30_000);
  await clock.advance(30_000);
  expect(looks).toBe(2);
  await guard.stop();
  await clock.advance(30_000);
  expect(looks).toBe(2);
});
