import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { KINDS } from '../../api/kinds.js';
import { CONFIG_MAPS } from '../../api/resource-refs.js';
import { Scheme } from '../../api/scheme/scheme.js';
import { forbiddenError, notFoundError, serviceUnavailableError } from '../../api/status-error.js';
import { MemoryStore } from '../../storage/index.js';
import { Cacher } from './cacher.js';
import { createOptimistically, writeOptimistically, type Attempt } from './optimistic-write.js';

/** A server whose cache hears of what others write only when it asks for the newest revision. */
async function started(shared = true) {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const late: (() => void)[] = [];
  let asked = 0;
  let holding = false;
  const { watch, currentRevision } = { watch: store.watch.bind(store), currentRevision: store.currentRevision.bind(store) };
  Object.assign(store, {
    capabilities: { ...store.capabilities, shared },
    watch: ({ onBatch, ...options }: Parameters<typeof watch>[0]) => watch({ ...options, onBatch: (batch) => (holding ? late.push(() => onBatch(batch)) : onBatch(batch)) }),
    currentRevision: async () => {
      asked++;
      for (const deliver of late.splice(0)) deliver();
      return currentRevision();
    },
  });
  const cacher = new Cacher(new Scheme(KINDS, RESOURCES), store, clock, silentLogger);
  const cache = cacher.cacheOf(CONFIG_MAPS);
  await cacher.start();
  const put = async (name: string, k: string): Promise<void> => {
    await store.transact([], [{ type: 'put', key: `${cache.prefix}d/${name}`, value: cache.form.encode({ metadata: { name, namespace: 'd', labels: { k } } }) }]);
  };
  const value = (): string | undefined => cache.get('d/a')?.object.metadata?.labels?.['k'];
  const seen: (string | undefined)[] = [];
  const write = (once: () => Attempt<string> | undefined) => writeOptimistically(cacher, 10, () => cache.get('d/a'), async () => {
    seen.push(value());
    return once();
  });
  return {
    cacher, value, seen, write,
    get asked() {
      return asked;
    },
    elsewhere: async (name: string, k: string) => {
      holding = true;
      await put(name, k);
      holding = false;
    },
    put,
  };
}

const missing = notFoundError({ group: '', resource: 'configmaps' }, 'a');

test('a write that the store takes needs no question before it', async () => {
  const server = await started();
  expect(await server.write(() => ({ result: 'done', committed: true }))).toBe('done');
  expect([server.asked, server.seen]).toEqual([0, [undefined]]);
});

test('what others were told is done is seen before anything is refused or left as it is', async () => {
  const server = await started();
  await server.elsewhere('a', '1');
  expect(await server.write(() => {
    if (!server.value()) throw missing;
    return { result: 'found', committed: true };
  })).toBe('found');
  await server.elsewhere('a', '2');
  expect(await server.write(() => ({ result: `nothing to do for ${server.value()}`, committed: false }))).toBe('nothing to do for 2');
  expect([server.asked, server.seen]).toEqual([2, [undefined, '1', '1', '2']]);
});

test('a refusal that rests on what is still so is told as it is, without another attempt', async () => {
  const server = await started();
  await server.put('a', '1');
  await server.elsewhere('other', '1');
  await expect(server.write(() => {
    throw missing;
  })).rejects.toBe(missing);
  expect([server.asked, server.seen]).toEqual([1, ['1']]);
  const away = serviceUnavailableError('away');
  await expect(server.write(() => {
    throw away;
  })).rejects.toBe(away);
  expect(server.asked).toBe(1);
});

test('who was faster is looked for when the cache has not come to it', async () => {
  const server = await started();
  await server.put('a', '1');
  await server.elsewhere('a', '2');
  expect(await server.write(() => (server.value() === '2' ? { result: 'after it', committed: true } : undefined))).toBe('after it');
  expect(server.asked).toBe(1);
  expect(await server.write(() => undefined)).toBeUndefined();
});

test('a creation that is refused is tried once more when something has happened elsewhere', async () => {
  const server = await started();
  const refused = forbiddenError({ group: '', resource: 'configmaps' }, 'a', 'no');
  const create = () => createOptimistically(server.cacher, async () => {
    server.seen.push(server.value());
    if (!server.value()) throw refused;
    return 'made';
  });
  await expect(create()).rejects.toBe(refused);
  await server.elsewhere('a', '1');
  expect(await create()).toBe('made');
  expect([server.asked, server.seen]).toEqual([2, [undefined, undefined, '1']]);
});

test('a store of one\'s own is never asked', async () => {
  const server = await started(false);
  await expect(server.write(() => {
    throw missing;
  })).rejects.toBe(missing);
  expect(await server.write(() => ({ result: 'nothing', committed: false }))).toBe('nothing');
  expect(server.asked).toBe(0);
});
