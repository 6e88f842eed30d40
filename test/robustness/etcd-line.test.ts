import { jest } from '@jest/globals';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../src/base/random.js';
import { startBadLine, type BadLine, type LineState } from '../harness/bad-line.js';
import { startEtcd, type EtcdProcess } from '../harness/etcd.js';
import { eventually } from '../harness/executable.js';
import { RawConnection, type RawTarget } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';
import { follow } from './support/follow.js';

jest.setTimeout(120_000);

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const WATCHED = `${COLLECTION}?labelSelector=of%3Dtest`;
const WRITERS = 16;
const WATCHERS = 3;
/** What the two lines do, turn by turn, each for a while. */
const TURNS: readonly (readonly [LineState, LineState])[] = [['down', 'good'], ['half', 'late'], ['silent', 'good'], ['late', 'half'], ['down', 'down'], ['half', 'half'], ['good', 'silent'], ['down', 'late']];
const seed = Number(process.env['KUBE_SEED'] ?? 1);
const random = new SeededRandom(seed);
const integer = (below: number): number => Math.floor(random.float() * below);
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly count?: string };
}

/** What is known of each object: the revision of the last write that was acknowledged, or `deleted`; those in `unsure` may have had another one. */
const known = new Map<string, number | 'deleted'>();
const unsure = new Set<string>();
const never = new Set<string>();
const answers = new Map<number, number>();
let writing = true;
let watching = true;

/** Creates objects, changes and deletes them, over both servers in turn; each object is its own, so that its fate is known. */
async function write(id: number, targets: readonly RawTarget[]): Promise<void> {
  const connections = await Promise.all(targets.map((target) => RawConnection.open(target)));
  const ask = async (method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly object: Stored }> => {
    const { status, body: bytes } = await connections[integer(2)]!.request(method, path, body);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    return { status, object: JSON.parse(bytes.toString()) as Stored };
  };
  for (let i = 0; writing; i++) {
    const name = `w${id}-${i}`;
    const labels = { of: 'test' };
    const made = await ask('POST', COLLECTION, { metadata: { name, labels }, data: { count: '0' } });
    if (made.status === 504) unsure.add(name);
    else if (made.status === 503) never.add(name);
    else expect([made.status, made.object]).toEqual([201, expect.anything()]);
    if (made.status !== 201) continue;
    known.set(name, Number(made.object.metadata.resourceVersion));
    const changed = await ask('PUT', `${COLLECTION}/${name}`, { metadata: { name, labels }, data: { count: '1' } });
    if (changed.status === 504) unsure.add(name);
    else expect([[200, 503], changed]).toEqual([expect.arrayContaining([changed.status]), changed]);
    if (changed.status === 200) known.set(name, Number(changed.object.metadata.resourceVersion));
    if (changed.status === 504 || i % 3 > 0) continue;
    const deleted = await ask('DELETE', `${COLLECTION}/${name}`);
    if (deleted.status === 504) unsure.add(name);
    else expect([[200, 503], deleted]).toEqual([expect.arrayContaining([deleted.status]), deleted]);
    if (deleted.status === 200) known.set(name, 'deleted');
  }
  for (const connection of connections) connection.close();
}

test(`a line to etcd that breaks, stalls and cuts in two loses, repeats and hides nothing; seed ${seed}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-etcd-line-'));
  const etcd: EtcdProcess = await startEtcd(['--unsafe-no-fsync']);
  const servers: ServerProcess[] = [];
  const lines: BadLine[] = [];
  try {
    for (const name of ['a', 'b']) {
      const line = await startBadLine(Number(new URL(etcd.url).port));
      lines.push(line);
      if (name === 'b') await cp(join(folder, 'a/pki'), join(folder, 'b/pki'), { recursive: true });
      servers.push(startServerProcess({ dataDir: join(folder, name), flags: ['--etcd-servers', `http://127.0.0.1:${line.port}`] }));
      await servers.at(-1)!.ready;
    }
    const targets = await Promise.all(servers.map((server) => server.ready));
    const readers = await Promise.all(targets.map((target) => RawConnection.open(target)));
    const begun = JSON.parse((await readers[0]!.request('GET', COLLECTION)).body.toString()) as { readonly metadata: { readonly resourceVersion: string } };
    const sequences = targets.flatMap((target) => Array.from({ length: WATCHERS }, () => ({ target, events: [] as string[] })));
    const following = sequences.map(({ target, events }) => follow(target, WATCHED, Number(begun.metadata.resourceVersion), () => watching, ({ type, name, revision }) => events.push(`${type} ${name} ${revision}`)));
    const work = Promise.all(Array.from({ length: WRITERS }, (_, id) => write(id, targets)));
    // Its failure is told at the end, too.
    work.catch(() => undefined);

    for (const [turn, states] of TURNS.entries()) {
      for (const [i, state] of states.entries()) lines[i]!.set(state);
      await pause(700 + integer(800));
      for (const line of lines) line.set('good');
      for (const [i, reader] of readers.entries()) {
        const name = `turn${turn}-${i}`;
        await eventually(async () => [201, 409].includes((await reader.request('POST', COLLECTION, { metadata: { name } })).status), `a write at server ${i} after ${states.join(' and ')}`, 5_000);
        await eventually(async () => (await reader.request('GET', '/readyz')).status === 200, `server ${i} is ready after ${states.join(' and ')}`, 5_000);
      }
      const before = known.size;
      await eventually(() => Promise.resolve(known.size > before + 20), 'twenty more writes', 10_000);
    }
    writing = false;
    await work;

    const lists = await Promise.all(readers.map(async (reader) => JSON.parse((await reader.request('GET', `${COLLECTION}?labelSelector=of%3Dtest`)).body.toString()) as { readonly items: readonly Stored[] }));
    const states = lists.map(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`));
    expect(states[0]).toEqual(states[1]);
    const found = new Map(lists[0]!.items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
    const wrong = [...known].filter(([name, state]) => !unsure.has(name) && (state === 'deleted' ? found.has(name) : found.get(name) !== state));
    expect(wrong).toEqual([]);
    expect([...never].filter((name) => found.has(name))).toEqual([]);

    const [reference] = sequences;
    const newest = Math.max(...found.values());
    await eventually(() => Promise.resolve(sequences.every(({ events }) => events.some((event) => event.endsWith(` ${newest}`)) && events.length === reference!.events.length)), 'the last events', 5_000).catch(() => undefined);
    for (const { events } of sequences.slice(1)) expect(events).toEqual(reference!.events);
    // In order, each once, and what they add up to is what is there.
    const revisions = reference!.events.map((event) => Number(event.split(' ')[2]));
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    const summed = new Map<string, number>();
    for (const event of reference!.events) {
      const [type, name, revision] = event.split(' ') as [string, string, string];
      expect([event, summed.has(name)]).toEqual([event, type !== 'ADDED']);
      if (type === 'DELETED') summed.delete(name);
      else summed.set(name, Number(revision));
    }
    expect([...summed].sort()).toEqual([...found].sort());
    watching = false;
    await Promise.all(following);
    for (const reader of readers) reader.close();
    for (const server of servers) expect(server.child.exitCode).toBeNull();
    process.stderr.write(`etcd-line: ${[...answers].sort().map(([status, count]) => `${count} answers ${status}`).join(', ')}; ${reference!.events.length} events to each of ${sequences.length} watchers\n`);
  } finally {
    writing = false;
    watching = false;
    for (const line of lines) line.set('good');
    for (const server of servers) await server.stop();
    for (const line of lines) await line.close();
    await etcd.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
