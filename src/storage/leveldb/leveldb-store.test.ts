import { mkdtemp, readdir, readFile, rm, writeFile, cp, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../base/clock.js';
import { errorCode } from '../../base/errors.js';
import { ArmedFailpoints } from '../../base/failpoint.js';
import { describeStoreContract } from '../testsuite/contract.js';
import { LevelDbStore } from './leveldb-store.js';

let root: string;
let serial = 0;
const opened: LevelDbStore[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kube-store-'));
});

afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await rm(root, { recursive: true, force: true });
});

const folder = (): string => join(root, `db${serial}`);

async function create(clock: FakeClock, failpoints?: ArmedFailpoints): Promise<LevelDbStore> {
  serial++;
  const store = await LevelDbStore.open(folder(), { clock, ...(failpoints ? { failpoints } : {}) });
  opened.push(store);
  return store;
}

const put = (key: string, value = key) => ({ type: 'put' as const, key, value: Buffer.from(value) });

describeStoreContract(
  'LevelDB',
  {
    create: (clock) => create(clock),
    reopen: async (clock) => {
      await opened.at(-1)!.close();
      const store = await LevelDbStore.open(folder(), { clock });
      opened.push(store);
      return store;
    },
  },
  () => new FakeClock(),
);

/** A closed store with a few acknowledged writes; gives its folder. */
async function written(count: number): Promise<string> {
  const store = await create(new FakeClock());
  for (let i = 0; i < count; i++) await store.transact([], [put(`key${i}`, `value${i}`)]);
  await store.close();
  return folder();
}

async function logFile(path: string): Promise<string> {
  const name = (await readdir(path)).find((file) => file.endsWith('.log'))!;
  return join(path, name);
}

async function copyOf(path: string, name: string): Promise<string> {
  const target = join(root, name);
  await rm(target, { recursive: true, force: true });
  await cp(path, target, { recursive: true });
  await cp(`${path}.acknowledged`, `${target}.acknowledged`);
  return target;
}

test('a second process on the same folder is refused', async () => {
  await create(new FakeClock());
  await expect(LevelDbStore.open(folder(), { clock: new FakeClock() })).rejects.toMatchObject({ code: 'KUBE_STORE_LOCKED' });
});

test('a newer format is refused and nothing is changed', async () => {
  const path = await written(3);
  const { Level } = await import('level');
  const level = new Level<string, string>(path);
  await level.put('f', '2');
  await level.close();
  await expect(LevelDbStore.open(path, { clock: new FakeClock() })).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT' });
});

test('a log that is cut after the last acknowledged write keeps all of them', async () => {
  const path = await written(4);
  const log = await logFile(path);
  const whole = (await readFile(log)).length;
  // What a killed process leaves behind: a batch that was being written when it died.
  const torn = await copyOf(path, 'torn');
  await writeFile(await logFile(torn), Buffer.concat([await readFile(log), Buffer.from('torn tail of a record')]));
  const store = await LevelDbStore.open(torn, { clock: new FakeClock() });
  expect(await store.currentRevision()).toBe(4);
  await store.close();
  expect(whole).toBeGreaterThan(0);
});

test('a log cut anywhere before an acknowledged write is never taken for whole', async () => {
  const path = await written(4);
  const size = (await readFile(await logFile(path))).length;
  for (let length = 0; length < size; length += 41) {
    const cut = await copyOf(path, 'cut');
    await truncate(await logFile(cut), length);
    await expect(LevelDbStore.open(cut, { clock: new FakeClock() })).rejects.toMatchObject({ code: 'KUBE_STORE_DAMAGED' });
  }
});

test('a flipped byte anywhere in the log is found, or does no harm', async () => {
  const path = await written(4);
  const bytes = await readFile(await logFile(path));
  let found = 0;
  for (let at = 0; at < bytes.length; at += 37) {
    const target = await copyOf(path, 'flipped');
    const flipped = Buffer.from(bytes);
    flipped[at] = flipped[at]! ^ 0x40;
    await writeFile(await logFile(target), flipped);
    const outcome = await LevelDbStore.open(target, { clock: new FakeClock() }).catch((error: unknown) => String(errorCode(error)));
    if (typeof outcome === 'string') {
      expect(outcome).toBe('KUBE_STORE_DAMAGED');
      found++;
    } else {
      const { kvs } = await outcome.range({ start: '', end: '~' });
      expect(kvs.map((kv) => kv.value.toString())).toEqual(['value0', 'value1', 'value2', 'value3']);
      await outcome.close();
    }
  }
  expect(found).toBeGreaterThan(0);
});

test('a failed write answers that its outcome is unknown, and the store goes on', async () => {
  const failpoints = new ArmedFailpoints();
  const store = await create(new FakeClock(), failpoints);
  await store.transact([], [put('a')]);
  failpoints.arm('store-before-commit', () => {
    failpoints.disarm('store-before-commit');
    throw new Error('input/output error');
  });
  await expect(store.transact([], [put('b')])).rejects.toMatchObject({ code: 'KUBE_STORE_OUTCOME_UNKNOWN' });
  expect((await store.get('b')).kv).toBeUndefined();
  expect((await store.transact([], [put('c')])).revision).toBe(2);
});

test('a failure after the batch reached the disk shows the batch to everybody', async () => {
  const failpoints = new ArmedFailpoints();
  const store = await create(new FakeClock(), failpoints);
  const keys: string[] = [];
  await store.watch({ start: '', end: '~', fromRevision: 1, onBatch: ({ events }) => keys.push(...events.map((event) => event.key)), onEnd: () => undefined });
  failpoints.arm('store-after-commit', () => {
    failpoints.disarm('store-after-commit');
    throw new Error('input/output error');
  });
  await expect(store.transact([], [put('a')])).rejects.toMatchObject({ code: 'KUBE_STORE_OUTCOME_UNKNOWN' });
  expect((await store.get('a')).kv).toMatchObject({ modRevision: 1 });
  expect(keys).toEqual(['a']);
});

test('a full disk is told apart: nothing was written', async () => {
  const failpoints = new ArmedFailpoints();
  const store = await create(new FakeClock(), failpoints);
  failpoints.arm('store-before-commit', () => {
    failpoints.disarm('store-before-commit');
    throw new Error('IO error: 000003.log: No space left on device');
  });
  await expect(store.transact([], [put('a')])).rejects.toMatchObject({ code: 'KUBE_STORE_FULL' });
  expect(await store.transact([], [put('a')])).toMatchObject({ succeeded: true });
});
