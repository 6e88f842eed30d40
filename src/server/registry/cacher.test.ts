import { FakeClock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { silentLogger } from '../../base/log.js';
import { KINDS } from '../../api/kinds.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { CONFIG_MAPS } from '../../api/resource-refs.js';
import { Scheme } from '../../api/scheme/scheme.js';
import { FieldSelector } from '../../api/selectors/field-selector.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import { MemoryStore, type StoreWatchOptions } from '../../storage/index.js';
import { Cacher } from './cacher.js';
import { CacheClusterView } from './cluster-view-cache.js';
import { Selection } from './selection.js';
import { VersionView } from './version-view.js';

const scheme = new Scheme(KINDS, RESOURCES);

async function started() {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const watches: StoreWatchOptions[] = [];
  const follow = store.watch.bind(store);
  store.watch = (options) => {
    watches.push(options);
    return follow(options);
  };
  const cacher = new Cacher(scheme, store, clock, silentLogger);
  const cache = cacher.cacheOf(CONFIG_MAPS);
  const put = (name: string, k: string) => store.transact([], [{ type: 'put', key: `${cache.prefix}d/${name}`, value: cache.form.encode({ metadata: { name, namespace: 'd', labels: { k } } }) }]);
  await put('before', '1');
  await cacher.start();
  return { clock, store, cacher, cache, watches, put };
}

test('what is in the store at the start is there, and so is what comes', async () => {
  const { cacher, cache, put } = await started();
  expect(cache.get('d/before')?.object).toMatchObject({ kind: 'ConfigMap', metadata: { resourceVersion: '1' } });
  await put('after', '1');
  expect(cache.get('d/after')?.revision).toBe(2);
  expect(cacher.revision).toBe(2);
});

test('after a broken watch everything is read again, and watchers only get what changed', async () => {
  const { clock, store, cache, watches, put } = await started();
  await put('gone', '1');
  const watcher = cache.watch(new Selection('', LabelSelector.everything, FieldSelector.everything, cache.readField, true), new VersionView(cache.resource), { type: 'since', revision: 2 }, 2, false);
  const broken = watches[0]!;
  // The cache misses what happens now.
  (broken as { onBatch: unknown }).onBatch = () => undefined;
  const real = store.range.bind(store);
  let failures = 1;
  store.range = (options) => (failures-- > 0 ? Promise.reject(new KubeError('KUBE_STORE_UNAVAILABLE', 'away')) : real(options));
  await put('before', '2');
  await put('new', '1');
  await store.transact([], [{ type: 'delete', key: `${cache.prefix}d/gone` }]);
  broken.onEnd(new KubeError('KUBE_STORE_UNAVAILABLE', 'away'));
  await clock.advance(1_000);
  cache.flush();
  watcher.end();
  const text = (await watcher.take())!.map((batch) => batch.bytes(false).toString()).join('');
  const events = text.trim().split('\n').map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string; resourceVersion: string } } });
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`)).toEqual(['MODIFIED before 3', 'ADDED new 4', 'DELETED gone 5']);
});

test('waiting for a revision ends when it comes, or after three seconds', async () => {
  const { clock, cacher, put } = await started();
  const soon = cacher.reach(2);
  await put('x', '1');
  expect(await soon).toBe(true);
  const never = cacher.reach(99);
  await clock.advance(3_000);
  expect(await never).toBe(false);
});

test('the view reads, indexes and reports changes', async () => {
  const { cacher, put } = await started();
  const view = new CacheClusterView(cacher);
  const byK = { name: 'k', values: (object: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }) => Object.values(object.metadata?.labels ?? {}) };
  const names = (value: string): (string | undefined)[] => view.byIndex(CONFIG_MAPS, byK, value).map((object) => object.metadata?.name);
  expect(names('1')).toEqual(['before']);
  const seen: string[] = [];
  const end = view.onChange(CONFIG_MAPS, ({ type, object, previous }) => seen.push(`${type} ${object.metadata?.name} ${previous ? 'again' : 'new'}`));
  const version = view.version(CONFIG_MAPS);
  await put('before', '2');
  await put('other', '2');
  end();
  await put('third', '2');
  expect(names('1')).toEqual([]);
  expect(names('2')).toEqual(['before', 'other', 'third']);
  expect(seen).toEqual(['MODIFIED before again', 'ADDED other new']);
  expect(view.version(CONFIG_MAPS)).toBeGreaterThan(version);
  expect(view.list(CONFIG_MAPS, 'd')).toHaveLength(3);
  expect(view.list(CONFIG_MAPS, 'e')).toEqual([]);
  expect(view.get(CONFIG_MAPS, 'd', 'other')?.metadata?.labels).toEqual({ k: '2' });
});

test('a store that has gone back in time: what it has now counts, and clients have to begin anew', async () => {
  const { clock, store, cacher, cache, watches, put } = await started();
  await put('later', '1');
  await put('later', '2');
  const old = new MemoryStore(clock);
  await old.transact([], [{ type: 'put', key: `${cache.prefix}d/before`, value: cache.form.encode({ metadata: { name: 'before', namespace: 'd', labels: { k: 'old' } } }) }]);
  const watcher = cache.watch(new Selection('', LabelSelector.everything, FieldSelector.everything, cache.readField, true), new VersionView(cache.resource), { type: 'since', revision: 3 }, 3, false);
  store.range = (options) => old.range(options);
  store.watch = (options) => old.watch(options);
  watches[0]!.onEnd(new KubeError('KUBE_STORE_COMPACTED', 'restored'));
  await clock.advance(1_000);
  expect([cacher.revision, cache.oldestRevision, watcher.isEnded]).toEqual([1, 1, true]);
  expect([cache.get('d/later'), cache.get('d/before')?.object.metadata?.labels]).toEqual([undefined, { k: 'old' }]);
});
