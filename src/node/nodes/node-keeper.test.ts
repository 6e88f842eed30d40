import { NODES } from '../../api/resource-refs.js';
import { silentLogger } from '../../base/log.js';
import { FakeApi } from '../../controllers/testing/fake-api.js';
import { listRecorder } from '../../controllers/testing/test-context.js';
import type { PressureCondition } from '../eviction/index.js';
import type { Machine } from '../machine/machine.js';
import type { RuntimeService } from '../runtime/index.js';
import { NodeKeeper } from './node-keeper.js';

const machine = (memory: string): Machine => ({
  machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6', osImage: 'os', memoryBytes: 1, capacity: { cpu: '2', memory, pods: '10' }, allocatable: { cpu: '2', memory, pods: '10' },
});

function world(): { readonly api: FakeApi; readonly keeper: NodeKeeper; readonly events: string[]; readonly set: (change: { pressure?: readonly PressureCondition[]; memory?: string }) => void } {
  const api = new FakeApi();
  const events: string[] = [];
  let pressure: readonly PressureCondition[] = [];
  let next = '4Gi';
  let present = machine(next);
  const runtime = { status: () => Promise.resolve({ runtimeReady: true, networkReady: true, message: '' }) } as Partial<RuntimeService> as RuntimeService;
  const keeper = new NodeKeeper({ name: 'n' }, runtime, {
    client: api, clock: api.clock, log: silentLogger, recorder: listRecorder(events), statusReportMilliseconds: 3_600_000,
    facts: { address: '127.0.0.1', port: 1, kubeletVersion: 'v1', runtime: { runtimeName: 'r', runtimeVersion: '1' }, pressure: () => pressure, get machine() { return present; } },
    readMachine: () => Promise.resolve(void (present = machine(next))),
  });
  return { api, keeper, events, set: (change) => {
    pressure = change.pressure ?? pressure;
    next = change.memory ?? next;
  } };
}

test('a change of pressure is reported by the next beat, also when it comes while one is under way', async () => {
  const { api, keeper, events, set } = world();
  const node = await keeper.register(new AbortController().signal);
  events.length = 0;
  const reason = (type: string): string | undefined => api.find(NODES, '', 'n')?.status?.conditions?.find((condition) => condition.type === type)?.reason;
  expect([reason('MemoryPressure'), reason('DiskPressure'), reason('PIDPressure')]).toEqual(['KubeletHasSufficientMemory', 'KubeletHasNoDiskPressure', 'KubeletHasSufficientPID']);
  const first = keeper.beat(node);
  await Promise.resolve();
  set({ pressure: ['DiskPressure'] });
  await keeper.beat(node, true);
  await first;
  expect(reason('DiskPressure')).toBe('KubeletHasDiskPressure');
  expect(events).toEqual(['Normal NodeHasDiskPressure Node n status is now: NodeHasDiskPressure']);
  set({ pressure: [] });
  await keeper.beat(node);
  expect(reason('DiskPressure')).toBe('KubeletHasNoDiskPressure');
  expect(events.at(-1)).toBe('Normal NodeHasNoDiskPressure Node n status is now: NodeHasNoDiskPressure');
});

test('a machine that has grown is seen within five minutes, and reported at once', async () => {
  const { api, keeper, set } = world();
  const node = await keeper.register(new AbortController().signal);
  set({ memory: '8Gi' });
  await keeper.beat(node);
  expect(api.find(NODES, '', 'n')?.status?.capacity?.['memory']).toBe('4Gi');
  await api.clock.advance(300_000);
  await keeper.beat(node);
  expect(api.find(NODES, '', 'n')?.status?.capacity?.['memory']).toBe('8Gi');
});
