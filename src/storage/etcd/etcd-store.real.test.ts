import { jest } from '@jest/globals';
import { FakeClock, sleep, SystemClock } from '../../base/clock.js';
import { startEtcd, type EtcdProcess } from '../../../test/harness/etcd.js';
import type { StoreWatchBatch, WriteOperation } from '../store.js';
import { describeStoreContract } from '../testsuite/contract.js';
import { etcdCopyTarget } from './copy-target.js';
import { EtcdStore } from './etcd-store.js';
import type { EtcdOptions } from './options.js';

jest.setTimeout(60_000);

let etcd: EtcdProcess;
let prefixes = 0;
const opened: EtcdStore[] = [];

beforeAll(async () => {
  etcd = await startEtcd(['--unsafe-no-fsync']);
});

afterAll(async () => {
  for (const store of opened) await store.close();
  await etcd.remove();
});

const put = (key: string, value = key): WriteOperation => ({ type: 'put', key, value: Buffer.from(value) });

function optionsFor(prefix: string, more: Partial<EtcdOptions> = {}): EtcdOptions {
  return { endpoints: [etcd.url], prefix, clock: new SystemClock(), ...more };
}

async function open(prefix: string, more: Partial<EtcdOptions> = {}): Promise<EtcdStore> {
  const store = await EtcdStore.open(optionsFor(prefix, more));
  opened.push(store);
  return store;
}

/** A prefix that nobody has used yet. */
const fresh = (): string => `/test${++prefixes}`;

describeStoreContract(
  'etcd',
  {
    // Keys of the suite begin with no slash.
    create: () => open(`${fresh()}/`),
    reopen: async () => {
      await opened.at(-1)!.close();
      return open(`/test${prefixes}/`);
    },
    realTime: (milliseconds) => sleep(new SystemClock(), milliseconds),
    modelRuns: 20,
  },
  () => new FakeClock(),
);

test('two stores of one prefix see each other\'s writes at once, and the same events in the same order', async () => {
  const prefix = fresh();
  const stores = [await open(prefix), await open(prefix)];
  const seen: StoreWatchBatch[][] = [[], []];
  for (const [i, store] of stores.entries()) {
    await store.watch({ start: '/', end: '0', fromRevision: (await store.currentRevision()) + 1, onBatch: (batch) => seen[i]!.push(batch), onEnd: () => undefined });
  }
  const written = await Promise.all(Array.from({ length: 100 }, (_, i) => stores[i % 2]!.transact([], [put(`/k${i % 7}`, String(i)), put(`/own${i}`)])));
  expect(new Set(written.map(({ revision }) => revision)).size).toBe(100);
  const newest = Math.max(...written.map(({ revision }) => revision));
  expect(await Promise.all(stores.map((store) => store.currentRevision()))).toEqual([newest, newest]);
  // A write by one whose watch has to have seen everything of the other.
  for (const [i, store] of stores.entries()) await store.transact([], [put(`/end${i}`)]);
  await stores[0]!.transact([], [put('/very-end')]);
  await stores[1]!.transact([], [put('/very-end')]);
  const [first, second] = seen.map((batches) => batches.flatMap(({ events }) => events.map(({ key, revision }) => `${key}@${revision}`)));
  expect(first!.slice(0, 200)).toEqual(second!.slice(0, 200));
  expect(second).toHaveLength(204);
  // Transactions are whole.
  for (const batch of seen[0]!) expect(batch.events.length % 2 === 0 || batch.revision > newest).toBe(true);
  const [winner, loser] = await Promise.all(stores.map((store) => store.transact([{ key: '/lock', modRevision: 0 }], [put('/lock')])));
  expect([winner!.succeeded, loser!.succeeded].sort()).toEqual([false, true]);
});

test('what a write says of its own value comes back as the very bytes', async () => {
  const store = await open(fresh());
  const value = Buffer.from('{"a":1}');
  const got: Buffer[] = [];
  await store.watch({ start: '/', end: '0', fromRevision: (await store.currentRevision()) + 1, previous: false, onBatch: ({ events }) => got.push(...events.map((event) => event.value)), onEnd: () => undefined });
  await store.transact([], [{ type: 'put', key: '/a', value }]);
  expect(got[0]).toBe(value);
});

test('a range of many pages is of one revision', async () => {
  const store = await open(fresh());
  for (let i = 0; i < 25; i++) await store.transact([], Array.from({ length: 100 }, (_, j) => put(`/many/${i}-${j}`)));
  const reading = store.range({ start: '/many/', end: '/many0' });
  const writing = store.transact([], [put('/many/99')]);
  const { kvs, revision } = await reading;
  const { revision: later } = await writing;
  expect(kvs.length).toBe(revision >= later ? 2501 : 2500);
});

test('a value that etcd does not take is refused as upstream refuses it', async () => {
  const store = await open(fresh());
  await expect(store.transact([], [{ type: 'put', key: '/big', value: Buffer.alloc(2 << 20) }])).rejects.toMatchObject({ code: 'KUBE_STORE_TOO_LARGE', message: 'etcdserver: request is too large' });
});

test('a prefix with somebody else\'s data, or a newer format, is refused and left alone', async () => {
  etcd.ctl('put', '/foreign/pods/default/web', 'k8s');
  await expect(open('/foreign')).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(/holds data that this program did not write \(\/foreign\/pods\/default\/web\): choose another --etcd-prefix/) });
  etcd.ctl('put', '/newer.format', '{"format":9,"state":"ready"}');
  await expect(open('/newer')).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(/data format 9/) });
  expect(etcd.ctl('get', '--prefix', '/foreign', '--keys-only').trim()).toBe('/foreign/pods/default/web');
});

test('an earlier prefix is taken over once, and again from the start after a crash in between', async () => {
  const [from, to] = [fresh(), fresh()];
  const old = await open(from);
  for (let i = 0; i < 250; i++) await old.transact([], [put(`/k${i}`, `value ${i}`)]);
  await old.transact([], [{ type: 'put', key: '/short', value: Buffer.from('x'), ttlSeconds: 100 }]);
  await old.close();
  // What a crash half way leaves behind.
  etcd.ctl('put', `${to}.format`, JSON.stringify({ format: 1, state: 'copying', peer: from }));
  etcd.ctl('put', `${to}/k1`, 'half');
  await expect(open(to)).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(/is not complete/) });
  const [one, two] = await Promise.all([open(to, { migrateFrom: from }), open(to, { migrateFrom: from })]);
  const { kvs } = await one.range({ start: '/', end: '0' });
  expect(kvs).toHaveLength(251);
  expect(kvs.find(({ key }) => key === '/k1')!.value.toString()).toBe('value 1');
  const left = await two.expiring({ start: '/', end: '0' });
  expect([[...left.keys()], left.get('/short')! > 50]).toEqual([['/short'], true]);
  await one.transact([], [{ type: 'delete', key: '/k1' }]);
  const again = await open(to, { migrateFrom: from });
  expect((await again.get('/k1')).kv).toBeUndefined();
  await expect(open(from)).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(new RegExp(`has been moved to ${to}`)) });
  await expect(open(fresh(), { migrateFrom: '/never' })).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(/nothing under the old etcd prefix/) });
});

test('servers take turns at compaction, and none compacts what it saw less than an interval ago', async () => {
  const prefix = fresh();
  const [one, two] = [await open(prefix), await open(prefix)];
  const write = async (): Promise<number> => (await one.transact([], [put('/a')])).revision;
  await write();
  let [a, b] = [await one.compactInTurn({ count: 0, revision: 0 }), await two.compactInTurn({ count: 0, revision: 0 })];
  const kept = await write();
  const watchable = async (revision: number): Promise<boolean> =>
    two.watch({ start: '/', end: '0', fromRevision: revision, onBatch: () => undefined, onEnd: () => undefined }).then((watch) => (watch.close(), true), () => false);
  expect(await watchable(kept)).toBe(true);
  const before = a.revision;
  [a, b] = [await one.compactInTurn(a), await two.compactInTurn(b)];
  expect(b.count).toBe(a.count);
  expect(await watchable(before - 1)).toBe(false);
  expect(await watchable(kept)).toBe(true);
});

test('the next endpoint is asked when one is not there; none at all is told in time', async () => {
  const dead = 'http://127.0.0.1:1';
  const store = await open(fresh(), { endpoints: [dead, etcd.url] });
  expect(await store.transact([{ key: '/a', modRevision: 0 }], [put('/a')])).toMatchObject({ succeeded: true });
  await expect(open(fresh(), { endpoints: [dead], connectMilliseconds: 300 })).rejects.toMatchObject({ code: 'KUBE_STORE_UNAVAILABLE', message: expect.stringMatching(/etcd cannot be reached: http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED/) });
});

test('who asks an etcd that is silent hears so after the time of one read, also when others have asked before', async () => {
  const store = await open(fresh());
  await store.currentRevision();
  etcd.pause();
  const began = performance.now();
  const first = store.currentRevision().catch(() => performance.now() - began);
  await sleep(new SystemClock(), 1_000);
  const second = store.currentRevision().catch((error: { code?: string }) => [error.code, performance.now() - began] as const);
  const [alone, [code, both]] = [await first, (await second) as readonly [string, number]];
  etcd.resume();
  expect(code).toBe('KUBE_STORE_UNAVAILABLE');
  // The order of the two tells; how long a read lasts does not matter here.
  expect(both).toBeLessThan(1.5 * alone);
  await store.currentRevision();
});

test('a prefix that somebody uses is not overwritten and not taken over, and stays usable; when they are gone it is', async () => {
  const [prefix, to] = [fresh(), fresh()];
  const one = await open(prefix);
  await one.transact([], [put('/a')]);
  const inUse = { code: 'KUBE_STORE_IN_USE', message: expect.stringMatching(new RegExp(`^the etcd prefix ${prefix} is in use \\(process ${process.pid} on .+\\): stop the servers`)) };
  await expect(etcdCopyTarget(optionsFor(prefix), true, 'elsewhere')).rejects.toMatchObject(inUse);
  await expect(open(to, { migrateFrom: prefix })).rejects.toMatchObject(inUse);
  const two = await open(prefix);
  await open(to).then((store) => store.close());
  await one.close();
  await expect(etcdCopyTarget(optionsFor(prefix), true, 'elsewhere')).rejects.toMatchObject(inUse);
  expect((await two.get('/a')).kv).toBeDefined();
  await two.close();
  const target = await etcdCopyTarget(optionsFor(prefix), true, 'elsewhere');
  // Who comes now is sent away and leaves no trace.
  await expect(open(prefix)).rejects.toMatchObject({ code: 'KUBE_STORE_FORMAT', message: expect.stringMatching(/is not complete/) });
  await target.finish();
  await target.close();
  expect(etcd.ctl('get', '--prefix', `${prefix}-user`, '--keys-only').trim()).toBe('');
  expect((await (await open(prefix)).get('/a')).kv).toBeUndefined();
});

test('whoever uses a prefix is known as one also after etcd has forgotten its lease', async () => {
  const prefix = fresh();
  await open(prefix);
  const lease = etcd.ctl('get', '--prefix', `${prefix}-user:`, '--keys-only').trim().split(':')[1]!;
  etcd.ctl('lease', 'revoke', lease);
  for (let i = 0; i < 200 && etcd.ctl('get', '--prefix', `${prefix}-user:`, '--keys-only').trim() === ''; i++) await sleep(new SystemClock(), 100);
  await expect(etcdCopyTarget(optionsFor(prefix), true, 'elsewhere')).rejects.toMatchObject({ code: 'KUBE_STORE_IN_USE' });
});
