import { rm, rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SystemClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { SystemRandom } from '../base/random.js';
import { createWinstonLog } from '../base/log-winston.js';
import { directCommands } from '../base/process/direct.js';
import { readKubeconfigFile, removeFromKubeconfig, updateKubeconfigFile } from '../client/index.js';
import { listNodeObjects, removeNodeObjects } from '../node/index.js';
import type { DataDirectory } from './data-directory.js';
import { hostLayout, RUN_FOLDER } from './host-layout.js';
import { CONTEXT } from './kubeconfigs.js';
import { mergedFiles } from './merged-files.js';
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

/** Stops a cluster and removes everything of it. Idempotent. Refuses (`KUBE_RESET`) a folder that is not a data directory of ours. */
export async function resetCluster(directory: DataDirectory, options: ResetOptions): Promise<ResetResult> {
  const items: ResetItem[] = [];
  const found = await readRunState(directory);
  if (found?.alive) items.push({ kind: 'process', name: String(found.state.process.pid) });
  const server = (await readKubeconfigFile(directory.kubeconfig))?.clusters?.[0]?.cluster;
  const files = [...new Set([...options.kubeconfigs.map((file) => resolve(file)), ...(await mergedFiles(directory))])];
  for (const file of files) if (server && (await hasContext(file, server['certificate-authority-data']))) items.push({ kind: 'kubeconfig-context', name: file });
  if (await exists(directory.path)) {
    if (!(await looksLikeOurs(directory))) throw new KubeError('KUBE_RESET', `${directory.path} does not look like a data directory of kube (it has neither pki/ca.crt nor a database): nothing was removed`);
    items.push({ kind: 'file', name: directory.path });
  }
  const host = hostLayout(directory);
  const commands = directCommands();
  const onHost = await listNodeObjects(host, commands);
  // The cluster's own process is listed already, and its folder with all that is in it.
  const shown = onHost.filter((item) => !(item.kind === 'file' && item.name.startsWith(directory.path)) && !(item.kind === 'process' && item.name === items[0]?.name));
  if (options.dryRun) return { dryRun: true, removed: [...items, ...shown], remaining: [] };

  // Nobody will see these pods again: they get little time to end.
  await stopCluster(directory, options.stopTimeoutMilliseconds, { graceSeconds: RESET_GRACE_SECONDS });
  const log = createWinstonLog({ level: 'error' });
  await removeNodeObjects(host, { commands, log, clock: new SystemClock(), random: new SystemRandom() });
  const tools = { clock: new SystemClock(), random: new SystemRandom() };
  for (const item of items) {
    if (item.kind === 'kubeconfig-context') await updateKubeconfigFile(item.name, (existing) => removeFromKubeconfig(existing, CONTEXT), tools);
    if (item.kind === 'file') await rm(item.name, { recursive: true, force: true });
  }
  const remaining: (ResetItem & { readonly reason: string })[] = [];
  for (const item of items) if (item.kind === 'file' && (await exists(item.name))) remaining.push({ ...item, reason: 'it is still there after its removal' });
  for (const item of await listNodeObjects(host, commands)) remaining.push({ ...item, reason: 'it could not be removed' });
  await commands.close();
  // The last cluster of this host takes the folder of all of them along.
  await rmdir(RUN_FOLDER).catch(() => undefined);
  const all = [...items, ...shown];
  return { dryRun: false, removed: all.filter((item) => !remaining.some((left) => left.kind === item.kind && left.name === item.name)), remaining };
}

/** The file's context of ours belongs to the cluster with this authority, not to another one of the same name. */
async function hasContext(file: string, authority: string | undefined): Promise<boolean> {
  const config = await readKubeconfigFile(file).catch(() => undefined);
  const cluster = config?.contexts?.find((entry) => entry.name === CONTEXT)?.context.cluster;
  return config?.clusters?.find((entry) => entry.name === cluster)?.cluster['certificate-authority-data'] === authority;
}

async function looksLikeOurs(directory: DataDirectory): Promise<boolean> {
  return (await exists(`${directory.pki}/ca.crt`)) || (await exists(directory.database));
}
