import { FakeClock } from '../base/clock.js';
import { silentLogger } from '../base/log.js';
import { internalError, serviceUnavailableError } from '../api/status-error.js';
import { Health } from './http/health.js';
import { PostStart } from './post-start.js';
import { testContext } from './testing/context.js';

test('a hook that is refused does not keep the server from being ready, one without a store does', async () => {
  const clock = new FakeClock();
  const health = new Health();
  const ran: string[] = [];
  let failure: Error | undefined = serviceUnavailableError('no store');
  const run = (name: string, work = (): void => undefined) => ({ name, run: async () => {
    ran.push(name);
    work();
  } });
  const refused = run('refused', () => {
    if (failure) throw failure;
  });
  const hooks = new PostStart([refused, run('next')], clock, silentLogger, health);
  let ready = false;
  const stopping = new AbortController();
  const all = hooks.run(testContext(), stopping.signal, () => (ready = true));
  const check = async (): Promise<string> => JSON.stringify(await health.handle('/readyz/poststarthook/refused', new URLSearchParams()));
  await clock.advance(60_000);
  expect([ready, ran.includes('next')]).toEqual([false, false]);
  expect(await check()).toContain('500');
  expect(await health.failing('readyz')).toEqual([{ name: 'poststarthook/refused', reason: 'not finished: no store' }, { name: 'poststarthook/next', reason: 'not finished' }]);

  failure = internalError('a webhook cannot be called');
  await clock.advance(10_000);
  expect([ready, ran.includes('next')]).toEqual([true, true]);
  expect(await check()).not.toContain('500');
  // It is tried on, and done at last.
  failure = undefined;
  await clock.advance(10_000);
  await all;
  expect(clock.pending).toBe(0);
});
