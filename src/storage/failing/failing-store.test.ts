import { FailingStore } from './failing-store.js';

test('every call but close fails with the given error', async () => {
  const store = new FailingStore(new Error('no'));
  const calls = [store.currentRevision(), store.get(), store.range(), store.transact(), store.watch(), store.compact()];
  for (const call of calls) await expect(call).rejects.toThrow('no');
  await store.close();
});
