import { sleep, SystemClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../base/process/alive.js';
import type { DataDirectory } from './data-directory.js';
import { howToEndPods, podsGoOn } from './kept-pods.js';
import { runningRoles } from './role-processes.js';
import { readRunState, removeRunState } from './run-state.js';
import { clearStopRequest, writeStopRequest, type StopRequest } from './stop-request.js';

/** What `kube stop -o json` prints. */
export interface StopResult {
  readonly state: 'stopped';
  /** The process of the cluster or of its server that was stopped; null when none ran. */
  readonly pid: number | null;
  readonly dataDir: string;
  /** Roles that ran as processes of their own, and were stopped. */
  readonly roles: readonly { readonly name: string; readonly pid: number }[];
  /** About native containers that go on, and what can be done with them; absent when there are none. */
  readonly message?: string;
}

const POLL_MILLISECONDS = 20;

/**
 * Asks the processes of a cluster to end and waits for them: first the roles that run alone, which need the server for what they leave
 * behind. Idempotent. Throws `KUBE_STOP_TIMEOUT` when they do not end in time.
 */
export async function stopCluster(directory: DataDirectory, timeoutMilliseconds: number, request: StopRequest = {}): Promise<StopResult> {
  const clock = new SystemClock();
  const end = clock.monotonic() + timeoutMilliseconds;
  const [found, roles] = await Promise.all([readRunState(directory), runningRoles(directory)]);
  const server = found?.alive ? found.state : undefined;
  if (server || roles.length > 0) await writeStopRequest(directory, request);
  const endAll = async (processes: readonly ProcessIdentity[]): Promise<void> => {
    for (const { pid } of processes) signalProcess(pid, 'SIGTERM');
    for (const identity of processes) {
      while (await isAlive(identity)) {
        if (clock.monotonic() > end) throw new KubeError('KUBE_STOP_TIMEOUT', `process ${identity.pid} has not ended within ${timeoutMilliseconds / 1000} s; it was sent SIGTERM`);
        await sleep(clock, POLL_MILLISECONDS);
      }
    }
  };
  await endAll(roles.map((role) => role.process));
  if (server) await endAll([server.process]);
  await removeRunState(directory);
  await clearStopRequest(directory);
  const nodes = [...roles.filter(({ native }) => native), ...(server?.containerRuntime === 'native' ? [server] : [])];
  const kept = nodes.some(({ keepPods }) => !howToEndPods(request, keepPods ?? false));
  return {
    state: 'stopped', pid: server?.process.pid ?? null, dataDir: directory.path, roles: roles.map((role) => ({ name: role.role, pid: role.process.pid })),
    ...(kept ? { message: podsGoOn(directory) } : {}),
  };
}
