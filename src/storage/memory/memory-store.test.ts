import { FakeClock } from '../../base/clock.js';
import { describeStoreContract } from '../testsuite/contract.js';
import { MemoryStore } from './memory-store.js';

describeStoreContract('memory', { create: async (clock) => new MemoryStore(clock) }, () => new FakeClock());

test('history is bounded by steps', async () => {
  const store = new MemoryStore(new FakeClock(), { historySteps: 10 });
  for (let i = 0; i < 30; i++) await store.transact([], [{ type: 'put', key: 'a', value: Buffer.from(String(i)) }]);
  const watch = (fromRevision: number): Promise<unknown> =>
    store.watch({ start: 'a', end: 'b', fromRevision, onBatch: () => undefined, onEnd: () => undefined });
  await expect(watch(5)).rejects.toMatchObject({ code: 'KUBE_STORE_COMPACTED' });
  await expect(watch(28)).resolves.toBeDefined();
});
