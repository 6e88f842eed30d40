import type { V1Container } from '../../api/generated/types.js';
import { FakeClock } from '../../base/clock.js';
import type { ContainerStatus, ProbeKind } from '../runtime/index.js';
import { ProbeWorker } from './probe-worker.js';

const CONTAINER: V1Container = { name: 'c', image: 'i' };

function worker(kind: ProbeKind, clock = new FakeClock(0), runs: string[] = []): ProbeWorker {
  return new ProbeWorker(CONTAINER, kind, { periodSeconds: 1 }, {
    clock,
    run: (_container, id) => {
      runs.push(id);
      return Promise.resolve({ success: true, output: '' });
    },
    isStarted: () => true,
    changed: () => undefined,
    unhealthy: () => undefined,
  });
}

function running(id: string): ContainerStatus {
  return { id, state: 'running', startedAt: 0 } as unknown as ContainerStatus;
}

test.each([[true], [false]])('an instance that was reported ready=%s stays so until its probe says otherwise', (ready) => {
  const readiness = worker('readiness');
  readiness.observe(running('old'), { started: true, ready });
  expect(readiness.resultOf('old')).toBe(ready);
  readiness.observe(running('new'));
  expect(readiness.resultOf('new')).toBe(false);
});

test('an instance that was reported started is not asked again whether it is', async () => {
  const clock = new FakeClock(0);
  const asked: string[] = [];
  const startup = worker('startup', clock, asked);
  startup.observe(running('old'), { started: true, ready: false });
  await clock.advance(3000);
  expect(startup.resultOf('old')).toBe(true);
  startup.observe(running('new'), { started: false, ready: false });
  expect(startup.resultOf('new')).toBeUndefined();
  await clock.advance(3000);
  expect(asked).toEqual(['new']);
  expect(startup.resultOf('new')).toBe(true);
});
