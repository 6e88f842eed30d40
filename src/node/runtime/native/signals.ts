import { constants } from 'node:os';
import { errorCode } from '../../../base/errors.js';
import { isAlive, type ProcessIdentity } from '../../../base/process/alive.js';

/** Numbers of the real-time signals, as glibc counts. */
const SIGRTMIN = 34;
const SIGRTMAX = 64;
const SIGTERM = 15;

/** The number of a signal as images and pods write it: `SIGUSR1`, `USR1`, `10`, `SIGRTMIN+3`. What is not understood is SIGTERM, as with containerd. */
export function signalNumber(text: string): number {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    return number >= 1 && number <= SIGRTMAX ? number : SIGTERM;
  }
  const name = text.toUpperCase().replace(/^(SIG)?/, 'SIG');
  const realTime = /^SIGRT(MIN|MAX)([+-]\d+)?$/.exec(name);
  if (realTime) {
    const number = (realTime[1] === 'MIN' ? SIGRTMIN : SIGRTMAX) + Number(realTime[2] ?? 0);
    return number >= SIGRTMIN && number <= SIGRTMAX ? number : SIGTERM;
  }
  return (constants.signals as Readonly<Record<string, number>>)[name] ?? SIGTERM;
}

/** Sends a signal, unless the process is gone or the number belongs to another one by now. */
export async function signalIdentity(identity: ProcessIdentity, signal: number): Promise<boolean> {
  return (await isAlive(identity)) && sendSignal(identity.pid, signal);
}

/** Sends a signal; false when there is no such process. */
export function sendSignal(pid: number, signal: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}
