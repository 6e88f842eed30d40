import { sleep, SystemClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { isAlive, signalProcess } from '../base/process/alive.js';
import type { DataDirectory } from './data-directory.js';
import { readRunState, removeRunState } from './run-state.js';
import { writeStopRequest, type StopRequest } from './stop-request.js';

/** What `kube stop -o json` prints. */
export interface StopResult {
  readonly state: 'stopped';
  /** The process that was stopped; null when none ran. */
  readonly pid: number | null;
  readonly dataDir: string;
}

const POLL_MILLISECONDS = 20;

/** Asks the cluster's process to end and waits for it. Idempotent. Throws `KUBE_STOP_TIMEOUT` when it does not end in time. */
export async function stopCluster(directory: DataDirectory, timeoutMilliseconds: number, request: StopRequest = {}): Promise<StopResult> {
  const clock = new SystemClock();
  const found = await readRunState(directory);
  if (!found?.alive) {
    await removeRunState(directory);
    return { state: 'stopped', pid: null, dataDir: directory.path };
  }
  const identity = found.state.process;
  await writeStopRequest(directory, request);
  signalProcess(identity.pid, 'SIGTERM');
  const end = clock.monotonic() + timeoutMilliseconds;
  while (await isAlive(identity)) {
    if (clock.monotonic() > end) throw new KubeError('KUBE_STOP_TIMEOUT', `process ${identity.pid} has not ended within ${timeoutMilliseconds / 1000} s; it was sent SIGTERM`);
    await sleep(clock, POLL_MILLISECONDS);
  }
  await removeRunState(directory);
  return { state: 'stopped', pid: identity.pid, dataDir: directory.path };
}
