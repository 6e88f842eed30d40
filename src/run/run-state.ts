import { rm } from 'node:fs/promises';
import { SystemClock } from '../base/clock.js';
import { errorCode, KubeError } from '../base/errors.js';
import { readIfPresent, writeAtomically } from '../base/files.js';
import { withHostLock } from '../base/host-lock.js';
import { identifyProcess, isAlive, type ProcessIdentity } from '../base/process/alive.js';
import { SystemRandom } from '../base/random.js';
import type { DataDirectory } from './data-directory.js';
import { clearStopRequest } from './stop-request.js';
import { VERSION } from './version.js';

/** State of one part of a cluster, as `kube status` shows it. */
export interface ComponentState {
  readonly name: string;
  readonly state: 'starting' | 'running' | 'restarting' | 'stopped';
  /** Why it is not running. */
  readonly message?: string;
  /** Of a role that runs as a process of its own. */
  readonly pid?: number;
}

/** What a running `kube run all` or `kube server` leaves in `run.json` for the other commands. */
export interface RunState {
  readonly process: ProcessIdentity;
  readonly version: string;
  /** `https://127.0.0.1:6443`; absent before the server listens. */
  readonly server?: string;
  readonly kubeconfig: string;
  readonly containerRuntime?: string;
  /** Native containers go on when it ends, whoever asks it to. */
  readonly keepPods?: boolean;
  readonly components: readonly ComponentState[];
  /** RFC 3339. */
  readonly startedAt: string;
}

/** Leaves this process in the data directory, so that others see it from its first moment on. Throws `KUBE_ALREADY_RUNNING` when another one is there. */
export async function claimDirectory(directory: DataDirectory): Promise<RunState> {
  const clock = new SystemClock();
  const state: RunState = { process: await ownIdentity(), version: VERSION, kubeconfig: directory.kubeconfig, components: [], startedAt: new Date(clock.now()).toISOString() };
  await withHostLock(`${directory.state}.lock`, { clock, random: new SystemRandom() }, async () => {
    const found = await readRunState(directory);
    if (found?.alive) throw new KubeError('KUBE_ALREADY_RUNNING', `a cluster runs in ${directory.path} already (pid ${found.state.process.pid}); stop it with "kube stop --data-dir ${directory.path}", or choose another --data-dir`);
    await writeRunState(directory, state);
    await clearStopRequest(directory);
  });
  return state;
}

export async function writeRunState(directory: DataDirectory, state: RunState): Promise<void> {
  await writeAtomically(directory.state, `${JSON.stringify(state, null, 2)}\n`);
}

/** The state that was left, and whether its process still runs. A file without a state in it counts as none. Throws `KUBE_DATA_DIRECTORY` for one of another user. */
export async function readRunState(directory: DataDirectory): Promise<{ readonly state: RunState; readonly alive: boolean } | undefined> {
  const text = await readIfPresent(directory.state).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') throw error;
    throw new KubeError('KUBE_DATA_DIRECTORY', `cannot read the data directory ${directory.path}: permission denied; it belongs to another user (root?)`);
  });
  if (text === undefined) return undefined;
  let state: RunState;
  try {
    state = JSON.parse(text) as RunState;
  } catch {
    return undefined;
  }
  if (typeof state?.process?.pid !== 'number') return undefined;
  return { state, alive: await isAlive(state.process) };
}

export async function removeRunState(directory: DataDirectory): Promise<void> {
  await rm(directory.state, { force: true });
}

/** This process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  return (await identifyProcess(process.pid)) ?? { pid: process.pid };
}
