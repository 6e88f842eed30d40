import { jest } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawConnection, type RawTarget } from '../harness/raw-connection.js';
import { startServerProcess } from '../harness/server-process.js';

jest.setTimeout(180_000);

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const WRITERS = 4;
const VALUE_BYTES = 200_000;
/** Changes before any watcher is slow, so that the growth is not that of a server that has just started. */
const WARM_ROUNDS = 100;
/** Together far more than the server may keep for a watcher: 300 MB. */
const ROUNDS = 375;
const SLOW = 4;
/** Without slow watchers it comes to 470 MB, most of it garbage between two collections; what is kept for slow ones is bounded, and without a bound it would be 300 MB more. */
const MOST_MEGABYTES = 600;

interface Event {
  readonly type: string;
  readonly object: { readonly code?: number; readonly metadata: { readonly resourceVersion: string } };
}

/** A watch that can stop reading. */
class Watch {
  readonly revisions: number[] = [];
  error: number | undefined;
  readonly ended: Promise<Error>;
  private rest = '';

  constructor(
    readonly connection: RawConnection,
    since: number,
  ) {
    this.ended = connection.stream(`${COLLECTION}?watch=1&resourceVersion=${since}`, (text) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop()!;
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as Event;
        if (type === 'ERROR') this.error = object.code;
        else this.revisions.push(Number(object.metadata.resourceVersion));
      }
    });
  }

  static async open(target: RawTarget, since: number): Promise<Watch> {
    return new Watch(await RawConnection.open(target), since);
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('watchers that do not read are cut off, cost bounded memory, slow nobody down, and can come back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-slow-'));
  const server = startServerProcess({ dataDir });
  try {
    const target = await server.ready;
    const pid = await server.pid;
    const control = await RawConnection.open(target);
    const list = JSON.parse((await control.request('GET', COLLECTION)).body.toString()) as { metadata: { resourceVersion: string } };
    const since = Number(list.metadata.resourceVersion);

    const fast = await Watch.open(target, since);
    const value = 'v'.repeat(VALUE_BYTES);
    const write = async (connection: RawConnection, name: string, rounds: number): Promise<number[]> => {
      const revisions: number[] = [];
      for (let i = 0; i < rounds; i++) {
        const object = { metadata: { name }, data: { value, round: String(i) } };
        const { status, body } = await (i === 0 ? connection.request('POST', COLLECTION, object) : connection.request('PUT', `${COLLECTION}/${name}`, object));
        expect(status).toBeLessThan(300);
        revisions.push(Number((JSON.parse(body.toString()) as Event['object']).metadata.resourceVersion));
      }
      return revisions;
    };
    const writers = await Promise.all(Array.from({ length: WRITERS }, () => RawConnection.open(target)));
    let most = 0;
    let going = true;
    const sampling = (async () => {
      for (; going; await pause(50)) most = Math.max(most, await residentMegabytes(pid));
    })();
    const early = (await Promise.all(writers.map((connection, i) => write(connection, `warm-${i}`, WARM_ROUNDS)))).flat().sort((a, b) => a - b);
    const before = most;

    const begin = early.at(-1)!;
    const slow = await Promise.all(Array.from({ length: SLOW }, () => Watch.open(target, begin)));
    await pause(200);
    for (const watch of slow) watch.connection.socket.pause();
    const written = (await Promise.all(writers.map((connection, i) => write(connection, `map-${i}`, ROUNDS)))).flat().sort((a, b) => a - b);
    going = false;
    await sampling;
    const newest = written.at(-1)!;

    // The one that reads has missed nothing.
    for (let i = 0; i < 500 && fast.revisions.at(-1) !== newest; i++) await pause(20);
    expect(fast.revisions).toEqual([...early, ...written]);
    expect((await control.request('GET', '/livez')).status).toBe(200);
    process.stderr.write(`slow-watcher: ${Math.round((written.length * VALUE_BYTES) / 1e6)} MB of changes, memory grew by ${Math.round(most - before)} MB from ${Math.round(before)} MB\n`);
    expect(most).toBeLessThan(MOST_MEGABYTES);

    for (const watch of slow) {
      // What it had been given comes in order and without a gap; then the stream ends.
      watch.connection.socket.resume();
      await watch.ended;
      expect(watch.revisions.length).toBeLessThan(written.length);
      expect(watch.revisions).toEqual(written.slice(0, watch.revisions.length));
      const resumed = await Watch.open(target, watch.revisions.at(-1) ?? begin);
      for (let i = 0; i < 500 && resumed.error === undefined && resumed.revisions.at(-1) !== newest; i++) await pause(20);
      // Too far behind: it lists again. Otherwise it goes on where it was.
      if (resumed.error === undefined) expect(resumed.revisions).toEqual(written.slice(watch.revisions.length));
      else expect(resumed.error).toBe(410);
      const again = await Watch.open(target, newest - 1);
      for (let i = 0; i < 100 && again.revisions.length === 0; i++) await pause(20);
      expect(again.revisions).toEqual([newest]);
      for (const { connection } of [watch, resumed, again]) connection.close();
    }
    for (const connection of [control, fast.connection, ...writers]) connection.close();
    expect(server.stderr()).toBe('');
  } finally {
    await server.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});
