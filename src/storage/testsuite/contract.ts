import fc from 'fast-check';
import type { FakeClock } from '../../base/clock.js';
import { errorCode } from '../../base/errors.js';
import type { ExpiryReader, Store, StoreWatchBatch, WriteOperation } from '../store.js';
import { ModelStore } from './model.js';

/** Makes the stores under test. */
export interface StoreFactory {
  /** A new, empty store on the given clock. */
  create(clock: FakeClock): Promise<Store>;
  /** Waits so many milliseconds; for stores whose leases take real time instead of the clock's. */
  readonly realTime?: (milliseconds: number) => Promise<void>;
  /** Runs of the comparison with the model; default 40. */
  readonly modelRuns?: number;
  /** For durable stores: closes the newest store and opens its data again. */
  reopen?(clock: FakeClock): Promise<Store>;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const put = (key: string, value = key): WriteOperation => ({ type: 'put', key, value: bytes(value) });
const remove = (key: string): WriteOperation => ({ type: 'delete', key });

interface Recorded {
  readonly batches: StoreWatchBatch[];
  readonly ended: Error[];
}

async function record(store: Store, fromRevision: number, start = '', end = '\u{10ffff}'): Promise<Recorded & { close(): void }> {
  const batches: StoreWatchBatch[] = [];
  const ended: Error[] = [];
  const watch = await store.watch({ start, end, fromRevision, onBatch: (batch) => batches.push(batch), onEnd: (error) => ended.push(error) });
  return { batches, ended, close: () => watch.close() };
}

/** With revisions counted from `base`. */
const flat = (recorded: Recorded, base: number): string[] =>
  recorded.batches.flatMap((batch) => batch.events.map((event) => `${event.type} ${event.key}@${event.revision - base}=${event.value.toString()}`));

/**
 * The contract of {@link Store} as tests. An implementation's own test calls this with a factory; optional
 * parts follow the capability manifest.
 */
export function describeStoreContract(name: string, factory: StoreFactory, makeClock: () => FakeClock): void {
  describe(`store contract: ${name}`, () => {
    let clock: FakeClock;
    let store: Store;
    /** A store that lives in something larger does not begin at revision 0. */
    let base: number;

    beforeEach(async () => {
      clock = makeClock();
      store = await factory.create(clock);
      base = await store.currentRevision();
    });

    afterEach(async () => {
      await store.close();
    });

    test('begins empty, at revision 0 when it is alone', async () => {
      if (!store.capabilities.shared) expect(base).toBe(0);
      expect(await store.currentRevision()).toBe(base);
      expect(await store.get('a')).toEqual({ kv: undefined, revision: base });
      expect(await store.range({ start: '', end: '\u{10ffff}' })).toEqual({ kvs: [], more: false, revision: base });
    });

    test('each transaction takes one revision for all its writes', async () => {
      expect((await store.transact([], [put('a'), put('b')])).revision).toBe(base + 1);
      expect((await store.transact([], [put('b', 'x'), remove('a')])).revision).toBe(base + 2);
      const { kv } = await store.get('b');
      expect(kv).toMatchObject({ createRevision: base + 1, modRevision: base + 2 });
      expect(kv!.value.toString()).toBe('x');
      expect((await store.get('a')).kv).toBeUndefined();
    });

    test('a key that was deleted and made again has a new create revision', async () => {
      await store.transact([], [put('a')]);
      await store.transact([], [remove('a')]);
      await store.transact([], [put('a')]);
      expect((await store.get('a')).kv).toMatchObject({ createRevision: base + 3, modRevision: base + 3 });
    });

    test('a transaction that changes nothing takes no revision', async () => {
      await store.transact([], [put('a')]);
      expect(await store.transact([], [remove('gone')])).toMatchObject({ succeeded: true, revision: base + 1 });
      expect(await store.currentRevision()).toBe(base + 1);
    });

    test('a failed comparison writes nothing and tells what is there', async () => {
      await store.transact([{ key: 'a', modRevision: 0 }], [put('a')]);
      const result = await store.transact([{ key: 'a', modRevision: 0 }, { key: 'b', modRevision: 0 }], [put('a', 'other'), put('b')]);
      expect(result.succeeded).toBe(false);
      expect(result.current[0]).toMatchObject({ key: 'a', modRevision: base + 1 });
      expect(result.current[1]).toBeUndefined();
      expect((await store.get('b')).kv).toBeUndefined();
      expect(await store.currentRevision()).toBe(base + 1);
    });

    test('of concurrent writers that compare the same revision exactly one wins', async () => {
      await store.transact([], [put('a')]);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => store.transact([{ key: 'a', modRevision: base + 1 }], [put('a', String(i))])),
      );
      expect(results.filter((result) => result.succeeded)).toHaveLength(1);
      const loser = results.find((result) => !result.succeeded)!;
      expect(loser.current[0]!.modRevision).toBe(base + 2);
    });

    test('ranges are ordered by UTF-8 bytes, limited, and say whether there is more', async () => {
      const keys = ['a/1', 'a/10', 'a/2', 'b', '\u{1f600}', '\uffee', 'é'];
      for (const key of keys) await store.transact([], [put(key)]);
      const all = await store.range({ start: '', end: '\u{10ffff}' });
      const expected = [...keys].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
      expect(all.kvs.map((kv) => kv.key)).toEqual(expected);
      const page = await store.range({ start: 'a/', end: 'a0', limit: 2 });
      expect(page.kvs.map((kv) => kv.key)).toEqual(['a/1', 'a/10']);
      expect(page.more).toBe(true);
      expect((await store.range({ start: 'a/', end: 'a0', limit: 3 })).more).toBe(false);
    });

    test('a watch sees each later change once, in order, also those in one transaction', async () => {
      const seen = await record(store, base + 1);
      await store.transact([], [put('a'), put('b')]);
      await store.transact([], [put('a', 'two')]);
      await store.transact([], [remove('b')]);
      expect(flat(seen, base)).toEqual(['put a@1=a', 'put b@1=b', 'put a@2=two', 'delete b@3=b']);
      expect(seen.batches.at(-1)!.revision).toBe(base + 3);
      expect(seen.batches.flatMap((batch) => batch.events)[2]!.previous).toMatchObject({ modRevision: base + 1 });
      seen.close();
      await store.transact([], [put('c')]);
      expect(flat(seen, base)).toHaveLength(4);
    });

    test('a watch starts in the past and keeps to its range', async () => {
      for (const key of ['a/1', 'b/1', 'a/2', 'b/2']) await store.transact([], [put(key)]);
      const seen = await record(store, base + 2, 'a/', 'a0');
      await store.transact([], [put('b/3'), put('a/3')]);
      expect(flat(seen, base)).toEqual(['put a/2@3=a/2', 'put a/3@5=a/3']);
      seen.close();
    });

    test('watchers are told before the writer', async () => {
      const seen = await record(store, base + 1);
      await store.transact([], [put('a')]);
      expect(flat(seen, base)).toEqual(['put a@1=a']);
      seen.close();
    });

    test('watching from a compacted revision is refused with its own code', async () => {
      for (let i = 0; i < 5; i++) await store.transact([], [put('a', String(i))]);
      await store.compact(base + 4);
      await expect(record(store, base + 2)).rejects.toMatchObject({ code: 'KUBE_STORE_COMPACTED' });
      const seen = await record(store, base + 4);
      expect(flat(seen, base)).toEqual(['put a@4=3', 'put a@5=4']);
      seen.close();
    });

    test('closing ends the watches and refuses what comes after', async () => {
      const seen = await record(store, base + 1);
      await store.close();
      await store.close();
      expect(seen.ended.map(errorCode)).toEqual(['KUBE_STORE_CLOSED']);
      await expect(store.get('a')).rejects.toMatchObject({ code: 'KUBE_STORE_CLOSED' });
      await expect(store.transact([], [put('a')])).rejects.toMatchObject({ code: 'KUBE_STORE_CLOSED' });
    });

    test('does the same as a simple model for any sequence of transactions', async () => {
      const key = fc.constantFrom('a', 'b', 'c/1', 'c/2');
      const write = fc.oneof(
        fc.record({ type: fc.constant('put' as const), key, value: fc.string({ maxLength: 5 }).map(bytes) }),
        fc.record({ type: fc.constant('delete' as const), key }),
      );
      const transaction = fc.record({
        compare: fc.array(fc.record({ key, modRevision: fc.nat(6) }), { maxLength: 2 }),
        writes: fc.uniqueArray(write, { selector: (operation) => operation.key, maxLength: 3 }),
        together: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(transaction, { maxLength: 25 }), async (transactions) => {
          const subject = await factory.create(makeClock());
          const model = new ModelStore();
          const start = await subject.currentRevision();
          const seen = await record(subject, start + 1);
          const at = (revision: number): number => (revision === 0 ? 0 : start + revision);
          let running: Promise<unknown>[] = [];
          for (const { compare, writes, together } of transactions) {
            const wanted = model.transact(compare, writes);
            running.push(
              subject.transact(compare.map(({ key: k, modRevision }) => ({ key: k, modRevision: at(modRevision) })), writes).then((result) => {
                expect(result.succeeded).toBe(wanted.succeeded);
                if (result.succeeded) expect(result.revision).toBe(start + wanted.revision);
              }),
            );
            // What is sent at once to a store elsewhere may arrive in any order.
            if (!together || subject.capabilities.shared) {
              await Promise.all(running);
              running = [];
            }
          }
          await Promise.all(running);
          const { kvs, revision } = await subject.range({ start: '', end: '\u{10ffff}' });
          expect(kvs.map(({ key: k, value, createRevision, modRevision }) => ({ key: k, value: value.toString(), createRevision: createRevision - start, modRevision: modRevision - start }))).toEqual(model.all());
          expect(revision).toBe(start + model.revision);
          expect(flat(seen, start)).toEqual(model.events);
          await subject.close();
        }),
        { numRuns: factory.modelRuns ?? 40 },
      );
    });

    test('keys with a time to live go away by themselves, unless they are written again', async () => {
      if (!store.capabilities.ttl) return expect(store.capabilities.ttl).toBe(false);
      const { realTime } = factory;
      const [ttlSeconds, rest] = realTime ? [2, () => realTime(1_200)] : [10, () => clock.advance(6_000)];
      await store.transact([], [{ type: 'put', key: 'short', value: bytes('1'), ttlSeconds }]);
      await store.transact([], [{ type: 'put', key: 'renewed', value: bytes('1'), ttlSeconds }]);
      const expiring = store as Store & Partial<ExpiryReader>;
      const left = await expiring.expiring?.({ start: 'r', end: 't' });
      if (left) expect([[...left.keys()], left.get('short')! > 0 && left.get('short')! <= ttlSeconds]).toEqual([['renewed', 'short'], true]);
      await rest();
      await store.transact([], [{ type: 'put', key: 'renewed', value: bytes('2'), ...(realTime ? {} : { ttlSeconds }) }]);
      const gone = new Promise<void>((resolve) => {
        void store.watch({
          start: 'short', end: 'short\0', fromRevision: base + 4, onEnd: () => undefined,
          onBatch: ({ events }) => events.some((event) => event.type === 'delete') && resolve(),
        });
      });
      await rest();
      await gone;
      expect((await store.get('short')).kv).toBeUndefined();
      expect((await store.get('renewed')).kv!.value.toString()).toBe('2');
    });

    test('everything acknowledged is there after a reopen, with its revisions', async () => {
      if (!factory.reopen) return expect(store.capabilities.durable).toBe(false);
      await Promise.all(Array.from({ length: 50 }, (_, i) => store.transact([], [put(`k${i}`)])));
      await store.transact([], [remove('k3'), put('k4', 'new')]);
      const before = await store.range({ start: '', end: '\u{10ffff}' });
      store = await factory.reopen(clock);
      const after = await store.range({ start: '', end: '\u{10ffff}' });
      expect(after).toEqual(before);
      const { revision } = await store.transact([], [put('next')]);
      // Where others write, too, revisions are theirs as well.
      if (store.capabilities.shared) expect(revision).toBeGreaterThan(before.revision);
      else expect(revision).toBe(before.revision + 1);
    });
  });
}
