import type { V1ConfigMap } from '../../../api/generated/types.js';
import { CONFIG_MAPS } from '../../../api/resource-refs.js';
import { silentLogger } from '../../../base/log.js';
import { FakeApi } from '../../../controllers/testing/fake-api.js';
import { References } from '../../references/references.js';
import { ObjectWatches } from './object-watches.js';

const made: ObjectWatches[] = [];

afterEach(() => {
  for (const watches of made.splice(0)) watches.stop();
});

function world(maxWatches?: number): { readonly api: FakeApi; readonly watches: ObjectWatches; readonly seed: (name: string, more?: Partial<V1ConfigMap>) => void; readonly edit: (name: string, value: string) => void; readonly count: (verb: string) => number } {
  const api = new FakeApi();
  const watches = new ObjectWatches({ client: api, references: new References(api, api.clock), clock: api.clock, random: api.random, log: silentLogger }, maxWatches);
  made.push(watches);
  return {
    api, watches, seed: (name, more = {}) => void api.seed(CONFIG_MAPS, { metadata: { name, namespace: 'default' }, data: { a: '1' }, ...more }),
    edit: (name, value) => void api.edit(CONFIG_MAPS, 'default', name, () => ({ data: { a: value } })), count: (verb) => api.actions.filter((action) => action.verb === verb).length,
  };
}

test('pods share one watch for an object, and it ends with the last of them', async () => {
  const { api, watches, seed, edit, count } = world();
  seed('a');
  seed('b');
  const calls = [0, 0];
  const releases = calls.map((_, index) => watches.follow(CONFIG_MAPS, 'default', 'a', () => calls[index]!++));
  await api.clock.advance(0);
  expect(count('watch')).toBe(1);
  const first = [...calls];
  edit('b', '2');
  await api.clock.advance(0);
  expect(calls).toEqual(first);
  edit('a', '2');
  await api.clock.advance(0);
  expect(calls).toEqual(first.map((number) => number + 1));
  expect((await watches.get(CONFIG_MAPS, 'default', 'a', 0))?.data).toEqual({ a: '2' });
  expect(count('get')).toBe(0);
  releases[0]!();
  releases[0]!();
  edit('a', '3');
  await api.clock.advance(0);
  expect(calls).toEqual([first[0]! + 1, first[1]! + 2]);
  releases[1]!();
  expect(watches.size).toBe(0);
  edit('a', '4');
  await api.clock.advance(120_000);
  expect(calls).toEqual([first[0]! + 1, first[1]! + 2]);
  expect(api.clock.pending).toBe(0);
});

test('an object that appears and goes calls back', async () => {
  const { api, watches, seed } = world();
  let calls = 0;
  watches.follow(CONFIG_MAPS, 'default', 'late', () => calls++);
  await api.clock.advance(0);
  const first = calls;
  seed('late');
  await api.clock.advance(0);
  expect(calls).toBe(first + 1);
  await api.resource(CONFIG_MAPS).delete('default', 'late');
  await api.clock.advance(0);
  expect(calls).toBe(first + 2);
});

test('beyond the limit objects are fetched every minute, and watched once there is room', async () => {
  const { api, watches, seed, edit, count } = world(1);
  for (const name of ['a', 'b']) seed(name);
  const release = watches.follow(CONFIG_MAPS, 'default', 'a', () => undefined);
  let calls = 0;
  watches.follow(CONFIG_MAPS, 'default', 'b', () => calls++);
  await api.clock.advance(60_000);
  expect([count('watch'), count('get')]).toEqual([1, 1]);
  const first = calls;
  await api.clock.advance(60_000);
  expect(calls).toBe(first);
  edit('b', '2');
  await api.clock.advance(60_000);
  expect(calls).toBe(first + 1);
  release();
  await api.clock.advance(60_000);
  edit('b', '3');
  await api.clock.advance(0);
  expect(calls).toBeGreaterThan(first + 1);
  expect(count('watch')).toBe(2);
});

test('an immutable object is not watched any more', async () => {
  const { api, watches, seed } = world(1);
  seed('fixed', { immutable: true });
  seed('other');
  watches.follow(CONFIG_MAPS, 'default', 'fixed', () => undefined);
  await api.clock.advance(0);
  watches.follow(CONFIG_MAPS, 'default', 'other', () => undefined);
  await api.clock.advance(0);
  expect(api.actions.filter((action) => action.verb === 'watch')).toHaveLength(2);
});
