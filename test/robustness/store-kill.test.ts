import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../src/base/random.js';
import { eventually } from '../harness/executable.js';
import { RawConnection, type RawTarget } from '../harness/raw-connection.js';
import { freePort, startServerProcess, type ServerProcess } from '../harness/server-process.js';
import { Ledger } from './kill/ledger.js';
import { listHeld, Watcher } from './kill/watcher.js';
import { Writer } from './kill/writer.js';

/** Number of kills under load. KUBE_KILLS and KUBE_SEED repeat a run with other numbers. */
const KILLS = Number(process.env['KUBE_KILLS'] ?? 40);
const SEED = Number(process.env['KUBE_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 16;
const WATCHERS = 3;

/** A kill comes after up to this many acknowledged writes. */
const MOST_WRITES_PER_ROUND = 200;

jest.setTimeout(600_000);

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves when it holds, or after ten seconds. */
async function reached(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 5000 && !holds(); i++) await pause(2);
}

test(`${KILLS} kills under ${WRITERS} writers lose, repeat and hide nothing`, async () => {
  const random = new SeededRandom(SEED);
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-kill-'));
  const port = await freePort();
  const ledger = new Ledger();
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(`writer-${i}`, new SeededRandom(SEED + i), ledger));
  const watchers = Array.from({ length: WATCHERS }, (_, i) => new Watcher(`watcher ${i}`, ledger));
  let server: ServerProcess | undefined;
  let killedInStart = 0;

  /** Starts the server and compares what it holds with the ledger. */
  const start = async (): Promise<RawTarget> => {
    server = startServerProcess({ dataDir, port });
    const target = await server.ready;
    const connection = await RawConnection.open(target);
    const { revision, held } = await listHeld(connection);
    connection.close();
    for (const watcher of watchers) watcher.check();
    ledger.restarted(revision, held);
    return target;
  };

  try {
    for (let round = 0; round < KILLS && ledger.complaints.length === 0; round++) {
      if (random.float() < 0.1) {
        server = startServerProcess({ dataDir, port });
        await Promise.race([pause(random.float() * 600), server.exited]);
        await server.kill();
        killedInStart++;
      }
      const target = await start();
      const connections = await Promise.all([...writers, ...watchers].map(() => RawConnection.open(target)));
      const work = [...watchers.map((watcher, i) => watcher.run(target, connections[i]!)), ...writers.map((writer, i) => writer.run(connections[WATCHERS + i]!))];
      // The moment is told by the work done, so that a slow machine is under load at the kill too.
      const moment = ledger.acknowledged + random.float() * MOST_WRITES_PER_ROUND;
      const interruption = random.float() < 0.5 ? moment / 2 + ledger.acknowledged / 2 : Infinity;
      const interrupted = watchers[Math.floor(random.float() * WATCHERS)]!;
      await reached(() => ledger.acknowledged >= Math.min(moment, interruption));
      if (interruption < moment) interrupted.interrupt();
      await reached(() => ledger.acknowledged >= moment);
      await pause(random.float() * 10);
      // Now and then everything is quiet before the end, so that watchers can resume beyond it.
      if (random.float() < 0.15) {
        for (const writer of writers) writer.stop();
        await pause(100);
      }
      await server!.kill();
      await Promise.all(work);
    }

    const target = await start();
    const work = watchers.map(async (watcher) => watcher.run(target, await RawConnection.open(target)));
    const connection = await RawConnection.open(target);
    const { held } = await listHeld(connection);
    const wanted = JSON.stringify([...held].sort());
    for (const watcher of watchers) await eventually(async () => JSON.stringify([...watcher.state].sort()) === wanted, 'a watcher that has caught up', 10_000).catch((error: Error) => ledger.complain(error.message));
    for (const watcher of watchers) watcher.stop();
    connection.close();
    await Promise.all(work);
    await server!.stop();
  } finally {
    await server?.kill();
    await rm(dataDir, { recursive: true, force: true });
  }

  const sum = (field: 'events' | 'resumed' | 'expired'): number => watchers.reduce((all, watcher) => all + watcher[field], 0);
  process.stderr.write(`store-kill: seed ${SEED}, ${KILLS} kills under load and ${killedInStart} in the start, ${ledger.acknowledged} writes acknowledged, ${sum('events')} events, ${sum('resumed')} watches, ${sum('expired')} of them expired\n`);
  if (ledger.complaints.length > 0) throw new Error(`repeat with KUBE_SEED=${SEED} KUBE_KILLS=${KILLS}:\n${ledger.complaints.slice(0, 20).join('\n')}`);
  expect(ledger.acknowledged).toBeGreaterThan(KILLS * WRITERS);
  expect(sum('events')).toBeGreaterThan(KILLS);
});
