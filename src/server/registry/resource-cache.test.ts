import fc from 'fast-check';
import { KINDS } from '../../api/kinds.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { Scheme } from '../../api/scheme/scheme.js';
import { FieldSelector } from '../../api/selectors/field-selector.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { StoreEvent } from '../../storage/index.js';
import type { CacheEntry } from './cache-entry.js';
import type { CacheWatcher } from './cache-watcher.js';
import { ResourceCache } from './resource-cache.js';
import { Selection } from './selection.js';
import { VersionView } from './version-view.js';

const scheme = new Scheme(KINDS, RESOURCES);
const resource = scheme.resource('', 'v1', 'configmaps')!;
const view = new VersionView(resource);

function made(limits = { events: 1000, bytes: 1 << 20 }): ResourceCache {
  const cache: ResourceCache = new ResourceCache(resource, new WeakMap(), () => undefined, limits);
  cache.load([], 0);
  return cache;
}

function change(cache: ResourceCache, key: string, labels: Record<string, string> | undefined, revision: number): StoreEvent {
  const [namespace, name] = key.split('/');
  const object: KubeObject = { metadata: { name: name!, namespace: namespace!, ...(labels ? { labels } : {}) } };
  return { type: labels ? 'put' : 'delete', key: cache.prefix + key, value: cache.form.encode(object), previous: undefined, createRevision: revision, revision };
}

const select = (cache: ResourceCache, namespace: string, labels: string, fields = ''): Selection =>
  new Selection(namespace, LabelSelector.parse(labels), FieldSelector.parse(fields), cache.readField, true);

/** The objects that a watcher knows after all its events. */
async function follow(watcher: CacheWatcher): Promise<Record<string, string>> {
  const known: Record<string, string> = {};
  watcher.end();
  for (let batches = await watcher.take(); batches; batches = await watcher.take()) {
    for (const batch of batches) {
      for (const line of batch.bytes(true).toString().trim().split('\n')) {
        const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
        const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
        // Each type must fit what the watcher knew.
        expect([type, key in known]).toEqual([type, type !== 'ADDED']);
        if (type === 'DELETED') delete known[key];
        else known[key] = object.metadata?.resourceVersion ?? '';
      }
    }
  }
  return known;
}

const step = fc.record({ key: fc.constantFrom('a/x', 'a/y', 'b/x', 'b/z'), label: fc.constantFrom(undefined, 'one', 'two') });

test('whatever happens, each watcher ends up knowing what a list gives, wherever it began', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(40), async (steps, startAt) => {
      const cache = made();
      const selections = [select(cache, '', ''), select(cache, 'a', ''), select(cache, '', 'l=one'), select(cache, 'b', 'l!=one'), select(cache, 'a', '', 'metadata.name=x')];
      const watchers: { selection: Selection; watcher: CacheWatcher }[] = [];
      const since: { selection: Selection; before: readonly CacheEntry[]; revision: number }[] = [];
      steps.forEach(({ key, label }, i) => {
        if (i === startAt) {
          for (const selection of selections) {
            watchers.push({ selection, watcher: cache.watch(selection, view, { type: 'state', end: false }, i, false) });
            since.push({ selection, before: cache.select(cache.tree, selection, undefined, Infinity).entries, revision: i });
          }
        }
        cache.apply(change(cache, key, label === undefined ? undefined : { l: label }, i + 1));
        if (i % 3 === 0) cache.flush();
      });
      cache.flush();
      for (const { selection, watcher } of watchers) {
        const wanted = Object.fromEntries(cache.select(cache.tree, selection, undefined, Infinity).entries.map((entry) => [entry.key, String(entry.revision)]));
        expect(await follow(watcher)).toEqual(wanted);
      }
      // Lists at old revisions are as they were.
      for (const { selection, before, revision } of since) {
        expect(cache.select(cache.treeAt(revision), selection, undefined, Infinity).entries.map((entry) => [entry.key, entry.revision])).toEqual(before.map((entry) => [entry.key, entry.revision]));
      }
    }),
    { numRuns: 100 },
  );
});

test('history is bounded, and says from where it is whole', () => {
  const cache = made({ events: 10, bytes: 1 << 20 });
  for (let i = 1; i <= 50; i++) cache.apply(change(cache, `a/n${i}`, {}, i));
  expect(cache.oldestRevision).toBe(40);
  expect(cache.treeAt(40).size).toBe(40);
  expect(cache.treeAt(45).size).toBe(45);
});

test('objects are as stored, with the resource version of their change', () => {
  const cache = made();
  cache.apply(change(cache, 'a/x', { l: 'ü "q" \u2028' }, 7));
  const entry = cache.get('a/x')!;
  expect(JSON.parse(entry.bytes.toString())).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '7', name: 'x', namespace: 'a', labels: { l: 'ü "q" \u2028' } } });
  expect(entry.object).toEqual(JSON.parse(entry.bytes.toString()));
  expect(entry.stored.equals(cache.form.encode(entry.object))).toBe(true);
  expect(JSON.parse(entry.at('DELETED', 9).frame.toString())).toMatchObject({ type: 'DELETED', object: { metadata: { resourceVersion: '9', name: 'x' } } });
});

test('a watcher that does not keep up is cut off', () => {
  const cache = made({ events: 10, bytes: 1 << 20 });
  const watcher = cache.watch(select(cache, '', ''), view, { type: 'since', revision: 0 }, 0, false);
  for (let i = 1; i <= 20_001 && !watcher.isEnded; i++) {
    cache.apply(change(cache, 'a/x', { n: String(i) }, i));
    cache.flush();
  }
  expect(watcher.isEnded).toBe(true);
  expect(cache.watcherCount).toBe(0);
});

test('who works with the cache of an earlier definition gets the newest objects; watches of it end', async () => {
  const cache = made();
  cache.apply(change(cache, 'a/x', { l: 'one' }, 1));
  const known = cache.get('a/x');
  const renewed = cache.renewed(resource, 1).renewed(resource, 1);
  expect(cache.get('a/x')).toBe(known);
  renewed.apply(change(renewed, 'a/x', { l: 'two' }, 2));
  renewed.apply(change(renewed, 'a/y', { l: 'two' }, 3));
  expect(['a/x', 'a/y'].map((key) => cache.get(key)).map((entry) => [entry?.revision, entry?.object.metadata?.labels?.['l']])).toEqual([[2, 'two'], [3, 'two']]);
  renewed.apply(change(renewed, 'a/x', undefined, 4));
  expect(cache.get('a/x')).toBeUndefined();
  const watcher = cache.watch(select(cache, '', ''), view, { type: 'since', revision: 1 }, 1, false);
  expect(await watcher.take()).toBeUndefined();
});

test.each([['events', false], ['configmaps', true]])('of %s that were written, the parsed form is kept: %s', (plural, kept) => {
  const written = new WeakMap();
  const cache = new ResourceCache(scheme.resource('', 'v1', plural)!, written, () => undefined);
  cache.load([], 0);
  const object: KubeObject = { metadata: { name: 'x', namespace: 'a', labels: { l: 'one' } } };
  const value = cache.form.encode(object);
  const known: { object: KubeObject; entry?: CacheEntry } = { object };
  written.set(value, known);
  cache.apply({ type: 'put', key: `${cache.prefix}a/x`, value, previous: undefined, createRevision: 1, revision: 1 });
  // As long as the store has the bytes, nothing else may hold the object.
  expect(written.has(value)).toBe(false);
  expect(known.entry).toBe(cache.get('a/x'));
  expect(known.entry!.object.metadata!.labels === object.metadata!.labels).toBe(kept);
  expect(known.entry!.object === known.entry!.object).toBe(kept);
});
