import { readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sleep, SystemClock } from '../base/clock.js';
import { errorMessage, KubeError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { removeDeadFiles } from '../base/host-lock.js';
import { SystemRandom } from '../base/random.js';
import { createWinstonLog } from '../base/log-winston.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../base/process/alive.js';
import { directCommands } from '../base/process/direct.js';
import { readKubeconfigFile, removeFromKubeconfig, updateKubeconfigFile } from '../client/index.js';
import { listNodeObjects, removeNodeObjects, type NodeHost } from '../node/index.js';
import type { DataDirectory } from './data-directory.js';
import { hostLayout, RUN_FOLDER } from './host-layout.js';
import { CONTEXT } from './kubeconfigs.js';
import { registrations } from './native/address-pool.js';
import { mergedFiles } from './merged-files.js';
import { runningRoles } from './role-processes.js';
import { readRunState } from './run-state.js';
import { stopCluster } from './stop.js';

/** One thing that a reset takes away. */
export interface ResetItem {
  /** `process`, `file`, `kubeconfig-context`, and the kinds of things that native nodes leave on a host: `mount`, `cgroup`, `interface`, `address`, `nftables-table`, … */
  readonly kind: string;
  readonly name: string;
}

/** What `kube reset -o json` prints. */
export interface ResetResult {
  readonly dryRun: boolean;
  readonly removed: readonly ResetItem[];
  /** What could not be removed, with the reason. */
  readonly remaining: readonly (ResetItem & { readonly reason: string })[];
}

export interface ResetOptions {
  readonly dryRun: boolean;
  readonly stopTimeoutMilliseconds: number;
  /** Kubeconfig files that may have a context of this cluster. */
  readonly kubeconfigs: readonly string[];
}

const RESET_GRACE_SECONDS = 2;
const END_LOOKS = 500;
const END_LOOK_MILLISECONDS = 10;

/** Stops a cluster and removes everything of it. Idempotent. Refuses (`KUBE_RESET`) a folder that is not a data directory of ours. */
export async function resetCluster(directory: DataDirectory, options: ResetOptions): Promise<ResetResult> {
  const items: ResetItem[] = [];
  const host = hostLayout(directory);
  const running = await runningProcess(directory, host);
  if (running) items.push({ kind: 'process', name: String(running.pid) });
  for (const role of await runningRoles(directory)) items.push({ kind: 'process', name: String(role.process.pid) });
  const server = (await readKubeconfigFile(directory.kubeconfig))?.clusters?.[0]?.cluster;
  const files = [...new Set([...options.kubeconfigs.map((file) => resolve(file)), ...(await mergedFiles(directory))])];
  for (const file of files) if (server && (await hasContext(file, server['certificate-authority-data']))) items.push({ kind: 'kubeconfig-context', name: file });
  if (await exists(directory.path)) {
    if (!(await looksLikeOurs(directory, host))) throw new KubeError('KUBE_RESET', `${directory.path} does not look like a data directory of kube (it has neither pki/ca.crt nor a database): nothing was removed`);
    items.push({ kind: 'file', name: directory.path });
  }
  const commands = directCommands();
  // Native containers need root: nobody else can have put anything on the host, or could look at what others have there.
  const mayHaveObjects = process.getuid?.() === 0;
  const onHost = mayHaveObjects ? await listNodeObjects(host, commands) : [];
  // The cluster's own processes are listed already, and its folder with all that is in it.
  const shown = onHost.filter((item) => !(item.kind === 'file' && item.name.startsWith(directory.path)) && !(item.kind === 'process' && items.some(({ kind, name }) => kind === 'process' && name === item.name)));
  if (options.dryRun) return { dryRun: true, removed: [...items, ...shown], remaining: [] };

  // Nobody will see these pods again: they get little time to end.
  await stopCluster(directory, options.stopTimeoutMilliseconds, { graceSeconds: RESET_GRACE_SECONDS });
  if (running) await endProcess(running);
  const tools = { clock: new SystemClock(), random: new SystemRandom() };
  if (mayHaveObjects) await removeNodeObjects(host, { commands, log: createWinstonLog({ level: 'error' }), ...tools });
  const reasons = new Map<ResetItem, string>();
  for (const item of items) {
    if (item.kind === 'kubeconfig-context') await updateKubeconfigFile(item.name, (existing) => removeFromKubeconfig(existing, CONTEXT), tools);
    if (item.kind === 'file') await removeFolder(directory).catch((error: unknown) => reasons.set(item, errorMessage(error)));
  }
  // Until it was ended, the process may have written to a folder that was gone.
  if (running) await removeFolder(directory).catch(() => undefined);
  const remaining: (ResetItem & { readonly reason: string })[] = [];
  for (const item of items) if (item.kind === 'file' && (await exists(item.name))) remaining.push({ ...item, reason: reasons.get(item) ?? 'it is still there after its removal' });
  if (mayHaveObjects) {
    for (const item of await listNodeObjects(host, commands)) remaining.push({ ...item, reason: 'it could not be removed' });
    // The last cluster of this host takes the folder of all of them along.
    await removeDeadFiles(RUN_FOLDER);
    await rmdir(RUN_FOLDER).catch(() => undefined);
  }
  await commands.close();
  const all = [...items, ...shown];
  return { dryRun: false, removed: all.filter((item) => !remaining.some((left) => left.kind === item.kind && left.name === item.name)), remaining };
}

/** The process of a cluster. When its folder is gone, the host still knows it. */
async function runningProcess(directory: DataDirectory, host: NodeHost): Promise<ProcessIdentity | undefined> {
  const found = await readRunState(directory);
  if (found?.alive) return found.state.process;
  const registered = (await registrations(RUN_FOLDER)).find(({ clusterId }) => clusterId === host.clusterId)?.process;
  return registered && (await isAlive(registered)) ? registered : undefined;
}

/** Ends a process that could not be told to stop, since its folder is gone; it has nothing left to write. */
async function endProcess(identity: ProcessIdentity): Promise<void> {
  const clock = new SystemClock();
  if (await isAlive(identity)) signalProcess(identity.pid, 'SIGKILL');
  for (let look = 0; look < END_LOOKS && (await isAlive(identity)); look++) await sleep(clock, END_LOOK_MILLISECONDS);
}

/** The file's context of ours belongs to the cluster with this authority, not to another one of the same name. */
async function hasContext(file: string, authority: string | undefined): Promise<boolean> {
  const config = await readKubeconfigFile(file).catch(() => undefined);
  const cluster = config?.contexts?.find((entry) => entry.name === CONTEXT)?.context.cluster;
  return config?.clusters?.find((entry) => entry.name === cluster)?.cluster['certificate-authority-data'] === authority;
}

/** What shows that the folder is a cluster's goes last, so that the next reset can go on where this one fails. */
async function removeFolder(directory: DataDirectory): Promise<void> {
  const names = (await readdir(directory.path).catch(() => [])).map((name) => join(directory.path, name));
  for (const name of names) if (name !== directory.pki) await rm(name, { recursive: true, force: true });
  await rm(directory.path, { recursive: true, force: true });
}

/** Of a folder that was removed but for what was in use, the host knows that it is a cluster's. */
async function looksLikeOurs(directory: DataDirectory, host: NodeHost): Promise<boolean> {
  return (await exists(`${directory.pki}/ca.crt`)) || (await exists(directory.database)) || (await exists(host.runFolder));
}
