import { jest } from '@jest/globals';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEtcd, type EtcdProcess } from '../harness/etcd.js';
import { eventually } from '../harness/executable.js';
import { RawConnection, type RawTarget } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';
import { follow } from './support/follow.js';

jest.setTimeout(180_000);

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const WATCHED = `${COLLECTION}?labelSelector=of%3Dtest`;
const WRITERS = 6;
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly labels?: { readonly of?: string } };
  readonly data?: { readonly count?: string };
}

/** What happened to each write: acknowledged at a revision, refused with the promise that nothing was written, or not known. */
const acknowledged = new Map<string, number>();
const refused = new Set<string>();
let running = true;
let watching = true;

/** Creates objects and counts in one of its own, over the two servers in turn; answers of a store that is away are not a failure. */
async function write(id: number, targets: readonly RawTarget[]): Promise<{ readonly counted: number; readonly unknown: number }> {
  const connections = await Promise.all(targets.map((target) => RawConnection.open(target)));
  let counted = 0;
  let unknown = 0;
  for (let i = 0; running; i++) {
    const connection = connections[i % 2]!;
    const name = `w${id}-${i}`;
    const { status, body } = await connection.request('POST', COLLECTION, { metadata: { name, labels: { of: 'test' } } });
    if (status === 201) acknowledged.set(name, Number((JSON.parse(body.toString()) as Stored).metadata.resourceVersion));
    else if (status === 503) refused.add(name);
    else expect([status, body.toString()]).toEqual([504, expect.anything()]);
    // What one server acknowledged, the other one shows.
    const other = connections[(i + 1) % 2]!;
    if (status === 201) expect([200, 503, 504]).toContain((await other.request('GET', `${COLLECTION}/${name}`)).status);
    const read = await other.request('GET', `${COLLECTION}/counter${id}`);
    if (read.status === 404) {
      await other.request('POST', COLLECTION, { metadata: { name: `counter${id}` }, data: { count: '0' } });
      continue;
    }
    if (read.status !== 200) continue;
    const object = JSON.parse(read.body.toString()) as Stored;
    const answer = await connection.request('PUT', `${COLLECTION}/counter${id}`, { ...object, data: { count: String(Number(object.data!.count) + 1) } });
    if (answer.status === 200) counted++;
    else if (answer.status === 504) unknown++;
    else expect([409, 503]).toContain(answer.status);
  }
  for (const connection of connections) connection.close();
  return { counted, unknown };
}

async function recovered(targets: readonly RawTarget[], what: string): Promise<void> {
  for (const [i, target] of targets.entries()) {
    const connection = await RawConnection.open(target);
    const name = `${what.replaceAll(' ', '-')}-${i}`;
    await eventually(async () => (await connection.request('PUT', `${COLLECTION}/nothing-${name}`, { metadata: { name: `nothing-${name}` } })).status === 404, `an answer to a write after ${what}`, 5_000);
    await eventually(async () => [200, 201].includes((await connection.request('POST', COLLECTION, { metadata: { name: `${name}-${Date.now()}` } })).status), `a write after ${what}`, 5_000);
    connection.close();
  }
}

test('etcd killed, paused, compacted and restarted under two servers loses, repeats and hides nothing, and they recover by themselves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-etcd-test-'));
  const etcd: EtcdProcess = await startEtcd();
  const servers: ServerProcess[] = [];
  try {
    const flags = ['--etcd-servers', etcd.url];
    servers.push(startServerProcess({ dataDir: join(folder, 'a'), flags }));
    await servers[0]!.ready;
    await cp(join(folder, 'a/pki'), join(folder, 'b/pki'), { recursive: true });
    servers.push(startServerProcess({ dataDir: join(folder, 'b'), flags }));
    const targets = await Promise.all(servers.map((server) => server.ready));
    const first = await RawConnection.open(targets[0]!);
    const begun = JSON.parse((await first.request('GET', COLLECTION)).body.toString()) as { readonly metadata: { readonly resourceVersion: string } };
    const events = targets.map((): { key: string; revision: number }[] => []);
    const following = targets.map((target, i) => follow(target, WATCHED, Number(begun.metadata.resourceVersion), () => watching, ({ type, name, revision }) => events[i]!.push({ key: `${type} ${name}`, revision })));
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, id) => write(id, targets)));
    const load = async (): Promise<void> => {
      const before = acknowledged.size;
      await eventually(() => Promise.resolve(acknowledged.size > before + 60), 'sixty more writes', 20_000);
    };

    await load();
    for (let round = 0; round < 3; round++) {
      await etcd.kill();
      if (round === 0) {
        const began = Date.now();
        expect((await first.request('GET', `${COLLECTION}/none`)).status).toBe(503);
        expect((await first.request('GET', '/readyz/etcd')).status).toBe(500);
        expect((await first.request('GET', '/livez')).body.toString()).toContain('[-]etcd failed');
        expect(Date.now() - began).toBeLessThan(10_000);
      } else await pause(300 * round);
      await etcd.start();
      await recovered(targets, `kill ${round}`);
      await load();
    }
    etcd.pause();
    await pause(3_000);
    etcd.resume();
    await recovered(targets, 'pause');
    await load();
    // All that one server has missed is compacted before it hears of it: it has to find the difference.
    const revisionNow = (): string => String((JSON.parse(etcd.ctl('get', 'x', '-w', 'json')) as { readonly header: { readonly revision: number } }).header.revision);
    await etcd.kill();
    await pause(100);
    servers[1]!.child.kill('SIGSTOP');
    await etcd.start();
    await recovered([targets[0]!], 'the second server stopped');
    for (let i = 0; i < 20; i++) {
      const { status, body } = await first.request('POST', COLLECTION, { metadata: { name: `missed-${i}`, labels: { of: 'test' } } });
      expect(status).toBe(201);
      acknowledged.set(`missed-${i}`, Number((JSON.parse(body.toString()) as Stored).metadata.resourceVersion));
    }
    etcd.ctl('compact', revisionNow());
    servers[1]!.child.kill('SIGCONT');
    await recovered(targets, 'compaction');
    await load();
    expect(servers[1]!.stderr()).toContain('reading everything again');
    running = false;
    const counters = await writing;

    const lists = await Promise.all(targets.map(async (target) => {
      const connection = await RawConnection.open(target);
      const list = JSON.parse((await connection.request('GET', COLLECTION)).body.toString()) as { readonly items: readonly Stored[] };
      connection.close();
      return new Map(list.items.map((item) => [item.metadata.name, item]));
    }));
    expect([...lists[0]!.keys()]).toEqual([...lists[1]!.keys()]);
    const lost = [...acknowledged].filter(([name, revision]) => Number(lists[0]!.get(name)?.metadata.resourceVersion) !== revision);
    expect(lost).toEqual([]);
    expect([...refused].filter((name) => lists[0]!.has(name))).toEqual([]);
    for (const [id, { counted, unknown }] of counters.entries()) {
      const count = Number(lists[0]!.get(`counter${id}`)!.data!.count);
      expect(count).toBeGreaterThanOrEqual(counted);
      expect(count).toBeLessThanOrEqual(counted + unknown);
    }
    const present = [...lists[0]!.values()].filter(({ metadata }) => metadata.labels?.of === 'test').map(({ metadata }) => ({ key: `ADDED ${metadata.name}`, revision: Number(metadata.resourceVersion) })).sort((a, b) => a.revision - b.revision);
    for (const seen of events) {
      await eventually(() => Promise.resolve(seen.length >= present.length), 'the last events', 5_000).catch(() => undefined);
      expect(seen).toEqual(present);
    }
    watching = false;
    await Promise.all(following);
    first.close();
    process.stderr.write(`etcd-restarts: ${acknowledged.size} writes acknowledged, ${refused.size} refused, ${counters.reduce((sum, { unknown }) => sum + unknown, 0)} updates not known, ${events[0]!.length} events\n`);
  } finally {
    running = false;
    watching = false;
    for (const server of servers) {
      server.child.kill('SIGCONT');
      await server.stop();
    }
    await etcd.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
