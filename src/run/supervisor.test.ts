import { FakeClock } from '../base/clock.js';
import { silentLogger } from '../base/log.js';
import { Supervisor } from './supervisor.js';

function part(startErrors: (Error | undefined)[]) {
  const seen = { started: 0, stopped: 0, fail: (_error: Error): void => undefined };
  return {
    seen,
    part: {
      name: 'part',
      make: (fail: (error: Error) => void) => {
        seen.fail = fail;
        return {
          name: 'part',
          start: async () => {
            const error = startErrors[seen.started++];
            if (error) throw error;
          },
          stop: async () => {
            seen.stopped++;
          },
        };
      },
    },
  };
}

test('a part that fails later is stopped and started again', async () => {
  const clock = new FakeClock();
  const { part: made, seen } = part([]);
  const supervisor = new Supervisor(made, clock, silentLogger, () => undefined);
  await supervisor.start();
  seen.fail(new Error('died'));
  await clock.advance(0);
  expect(supervisor.status).toEqual({ name: 'part', state: 'restarting', message: 'died' });
  await clock.advance(300);
  expect(supervisor.status.state).toBe('running');
  expect(seen).toMatchObject({ started: 2, stopped: 1 });
  await supervisor.stop(0);
  expect(supervisor.status.state).toBe('stopped');
});

test('the first start is not tried again, later ones are', async () => {
  const clock = new FakeClock();
  const first = new Supervisor(part([new Error('no')]).part, clock, silentLogger, () => undefined);
  await expect(first.start()).rejects.toThrow('no');

  const { part: made, seen } = part([undefined, new Error('again'), undefined]);
  const second = new Supervisor(made, clock, silentLogger, () => undefined);
  await second.start();
  seen.fail(new Error('died'));
  await clock.advance(10_000);
  expect(seen.started).toBe(3);
  expect(second.status.state).toBe('running');
  await second.stop(0);
  expect(clock.pending).toBe(0);
});
