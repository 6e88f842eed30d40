import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, type Clock } from './clock.js';
import { errorCode, KubeError } from './errors.js';
import { identifyProcess, isAlive, signalProcess, type ProcessIdentity } from './process/alive.js';
import type { Random } from './random.js';

const TRIES = 200;
const WAIT_MILLISECONDS = 25;
/** A guard of this age was left by a process that was killed. */
const BREAK_MILLISECONDS = 3000;

/**
 * Runs `work` while this process holds a lock file. A lock whose holder is gone is taken over. Throws `KUBE_LOCKED` when another process
 * keeps it for five seconds. The file's folder must exist.
 */
export async function withHostLock<R>(file: string, tools: { readonly clock: Clock; readonly random: Random }, work: () => Promise<R>): Promise<R> {
  // Named so that those of dead processes can be told from others, see removeDeadFiles.
  const own = `${file}.${process.pid}-${tools.random.suffix(8)}.tmp`;
  const handle = await open(own, 'wx', 0o600);
  try {
    await handle.writeFile(JSON.stringify((await identifyProcess(process.pid)) ?? { pid: process.pid }));
  } finally {
    await handle.close();
  }
  try {
    await take(file, own, tools.clock);
    try {
      return await work();
    } finally {
      await rm(file, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes from a folder what processes left that died while they held a lock or wrote a file: locks, and files with their process in the name (`<name>.<pid>.tmp`). */
export async function removeDeadFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const pid = /\.(\d+)(?:-\w+)?\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && !signalProcess(Number(pid), 0)) await rm(path, { force: true });
    if (/(?:^|\.)lock(?:\.break)?$/.test(name) && !(await isHeld(await readFile(path, 'utf8').catch(() => '')))) await rm(path, { force: true });
  }
}

async function take(file: string, own: string, clock: Clock): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      // The file appears with its content: a reader never sees it empty.
      await link(own, file);
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined || (await isHeld(text)) || !(await breakLock(file, own, text, clock))) await sleep(clock, WAIT_MILLISECONDS);
  }
  throw new KubeError('KUBE_LOCKED', `${file} is held by another process for too long; remove it if none is at work`);
}

/** Removes the lock of a holder that is gone. Only one process does so at a time: another one's new lock must not be taken for the old one. */
async function breakLock(file: string, own: string, text: string, clock: Clock): Promise<boolean> {
  const guard = `${file}.break`;
  try {
    await link(own, guard);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    // Its holder needs a moment only, unless it was killed.
    const since = await stat(guard).catch(() => undefined);
    if (since && clock.now() - since.ctimeMs > BREAK_MILLISECONDS) await rm(guard, { force: true });
    return false;
  }
  try {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) await rm(file, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

async function isHeld(text: string): Promise<boolean> {
  try {
    return await isAlive(JSON.parse(text) as ProcessIdentity);
  } catch {
    return false;
  }
}
