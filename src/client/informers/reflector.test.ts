import { FakeClock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import type { V1ConfigMap } from '../../api/generated/types.js';
import { CONFIG_MAPS } from '../../api/resource-refs.js';
import { badRequestError, goneError } from '../../api/status-error.js';
import { createClient } from '../rest-client.js';
import { ScriptedTransport } from '../testing/scripted-transport.js';
import { createInformerFactory } from './factory.js';

const cm = (name: string, resourceVersion: number, uid = name): V1ConfigMap => ({
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name, uid, resourceVersion: String(resourceVersion) },
});
const bookmark = (resourceVersion: number, end = false) => ({
  type: 'BOOKMARK' as const,
  object: { kind: 'ConfigMap', metadata: { resourceVersion: String(resourceVersion), ...(end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}) } },
});

function setup(prepare: (transport: ScriptedTransport, clock: FakeClock) => void = () => undefined) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport();
  prepare(transport, clock);
  const factory = createInformerFactory({ client: createClient(transport), clock, random: new SeededRandom(7), log: silentLogger });
  const informer = factory.informer(CONFIG_MAPS);
  const seen: string[] = [];
  informer.addHandler({
    add: (object, initial) => seen.push(`add ${object.metadata?.name}${initial ? ' initial' : ''}`),
    update: (object) => seen.push(`update ${object.metadata?.name}@${object.metadata?.resourceVersion}`),
    delete: (object) => seen.push(`delete ${object.metadata?.name}`),
  });
  factory.start();
  return { clock, transport, factory, informer, seen };
}

test('a streamed list is handed over at its end bookmark, and the watch goes on', async () => {
  const { clock, transport, factory, informer, seen } = setup();
  await clock.advance(0);
  expect(transport.requests[0]!.path).toContain('sendInitialEvents=true&');
  const watch = transport.watches[0]!;
  watch.send({ type: 'ADDED', object: cm('x', 1) }, { type: 'ADDED', object: cm('y', 2) });
  await clock.advance(0);
  expect(seen).toEqual([]);
  expect(informer.synced).toBe(false);
  watch.send(bookmark(5, true), { type: 'MODIFIED', object: cm('x', 6) }, { type: 'MODIFIED', object: cm('x', 6) }, { type: 'DELETED', object: cm('y', 7) });
  await clock.advance(0);
  expect(seen).toEqual(['add x initial', 'add y initial', 'update x@6', 'delete y']);
  expect(informer.synced).toBe(true);
  await informer.whenSynced();
  expect(informer.list('a').map((object) => object.metadata?.name)).toEqual(['x']);
  await factory.stop();
});

test('a server without streamed lists gives pages', async () => {
  const { clock, transport, factory, informer } = setup((scripted) => {
    scripted.onWatch = (request) => {
      if (request.path.includes('sendInitialEvents')) throw badRequestError('unknown parameter');
    };
    scripted.onRequest = (request) => request.path.includes('continue=')
      ? { metadata: { resourceVersion: '9' }, items: [{ metadata: { namespace: 'a', name: 'y', resourceVersion: '2' } }] }
      : { metadata: { resourceVersion: '9', continue: 'more' }, items: [{ metadata: { namespace: 'a', name: 'x', resourceVersion: '1' } }] };
  });
  await clock.advance(0);
  expect(informer.size).toBe(2);
  expect(informer.get('a', 'x')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  expect(transport.watches[0]!.request.path).toContain('resourceVersion=9');
  await factory.stop();
});

test('a broken watch resumes from the last resource version, bookmarks included, after the back-off', async () => {
  const { clock, transport, factory } = setup();
  await clock.advance(0);
  transport.watches[0]!.send(bookmark(5, true), bookmark(42));
  await clock.advance(0);
  transport.watches[0]!.fail(new KubeError('KUBE_TRANSPORT_UNREACHABLE', 'reset'));
  await clock.advance(799);
  expect(transport.watches).toHaveLength(1);
  await clock.advance(801);
  expect(transport.watches).toHaveLength(2);
  expect(transport.watches[1]!.request.path).toMatch(/resourceVersion=42/);
  expect(transport.watches[1]!.request.path).not.toContain('sendInitialEvents');
  await factory.stop();
});

test('an expired resource version leads to a new list and only the differences reach the handlers', async () => {
  const { clock, transport, factory, seen } = setup();
  await clock.advance(0);
  transport.watches[0]!.send({ type: 'ADDED', object: cm('same', 1) }, { type: 'ADDED', object: cm('changed', 2) }, { type: 'ADDED', object: cm('gone', 3) }, { type: 'ADDED', object: cm('remade', 4) }, bookmark(5, true));
  await clock.advance(0);
  seen.length = 0;
  transport.watches[0]!.send({ type: 'ERROR', object: goneError('too old').status as never });
  await clock.advance(0);
  expect(transport.watches[1]!.request.path).toContain('sendInitialEvents=true');
  transport.watches[1]!.send({ type: 'ADDED', object: cm('same', 1) }, { type: 'ADDED', object: cm('changed', 12) }, { type: 'ADDED', object: cm('remade', 14, 'other') }, { type: 'ADDED', object: cm('new', 15) }, bookmark(20, true));
  await clock.advance(0);
  expect(seen).toEqual(['update changed@12', 'delete remade', 'add remade', 'add new', 'delete gone']);
  await factory.stop();
});

test('failures in a row wait longer each time, up to 30 s and its jitter', async () => {
  const times: number[] = [];
  const { clock, factory } = setup((scripted, time) => {
    scripted.onWatch = () => {
      times.push(time.monotonic());
      throw new KubeError('KUBE_TRANSPORT_UNREACHABLE', 'refused');
    };
  });
  await clock.advance(300_000);
  const waits = times.slice(1).map((time, i) => time - times[i]!);
  expect(waits[0]!).toBeGreaterThanOrEqual(800);
  expect(waits[0]!).toBeLessThanOrEqual(1600);
  expect(waits[3]!).toBeGreaterThanOrEqual(6400);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  expect(Math.min(...waits.slice(7))).toBeGreaterThanOrEqual(30_000);
  await factory.stop();
});

test('a handler that throws stops nobody, and a late handler gets what is there', async () => {
  const { clock, transport, factory, informer, seen } = setup();
  informer.addHandler({ add: () => { throw new Error('broken handler'); } });
  informer.addIndex('by-uid', (object) => [object.metadata?.uid ?? '']);
  await clock.advance(0);
  transport.watches[0]!.send({ type: 'ADDED', object: cm('x', 1) }, bookmark(5, true), { type: 'ADDED', object: cm('y', 6) });
  await clock.advance(0);
  expect(seen).toEqual(['add x initial', 'add y']);
  const late: string[] = [];
  const remove = informer.addHandler({ add: (object) => late.push(object.metadata?.name ?? '') });
  expect(late).toEqual(['x', 'y']);
  expect(informer.byIndex('by-uid', 'y').map((object) => object.metadata?.name)).toEqual(['y']);
  remove();
  transport.watches[0]!.send({ type: 'ADDED', object: cm('z', 8) }, { type: 'DELETED', object: cm('y', 9) });
  await clock.advance(0);
  expect(late).toEqual(['x', 'y']);
  expect(informer.byIndex('by-uid', 'y')).toEqual([]);
  await factory.stop();
});

test('waiting for a sync ends when the factory stops', async () => {
  const { factory, informer } = setup();
  const waiting = informer.whenSynced();
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'KUBE_INFORMER_STOPPED' }), factory.stop()]);
});
