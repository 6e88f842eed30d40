import { readFile } from 'node:fs/promises';
import { errorCode } from '../errors.js';

/** Names a process so that a reused pid is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot, from `/proc`; absent where there is no `/proc`. */
  readonly startTicks?: string;
}

/** Identity of a running process; undefined when there is none with this pid. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!signalProcess(pid, 0)) return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return { pid };
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  return { pid, startTicks: fields[19]! };
}

/** The process is still there, and is the same one. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid);
  return now !== undefined && (identity.startTicks === undefined || now.startTicks === identity.startTicks);
}

/** Sends a signal; false when the process is gone. Throws when it belongs to somebody else. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM' && signal === 0) return true;
    throw error;
  }
}
