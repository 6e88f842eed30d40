import { readFile } from 'node:fs/promises';
import { signalProcess } from '../../../../base/process/alive.js';

/** Rounds, for trees that grow while they are cut. */
const ROUNDS = 5;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/**
 * Kills a command that runs in a container, with what it began: its descendants, and whatever is in its session, of which runc made it
 * the leader. Nothing outside of `processes`, the container's own, is touched.
 */
export async function killTree(root: number, processes: () => Promise<readonly number[]>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const all = (await Promise.all((await processes()).map(readStat))).filter((stat) => stat !== undefined);
    const doomed = members(root, all);
    if (doomed.size === 0) return;
    for (const pid of doomed) signalProcess(pid, 'SIGKILL');
  }
}

function members(root: number, all: readonly ProcessStat[]): ReadonlySet<number> {
  const found = new Set(all.filter(({ pid, session }) => pid === root || session === root).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/** Undefined for a process that has ended, be it that nobody has waited for it yet. */
async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The command's name, in parentheses, may itself hold some.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { pid, parent: Number(fields[1]), session: Number(fields[3]) };
}
