import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { SystemClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { SystemRandom } from '../base/random.js';
import { mergeKubeconfig, readKubeconfigFile, renderKubeconfig, updateKubeconfigFile, type Kubeconfig } from '../client/index.js';
import type { DataDirectory } from './data-directory.js';
import { rememberMerged } from './merged-files.js';

/** The file that kubectl reads by default: the first of `$KUBECONFIG`, or `~/.kube/config`. */
export function defaultKubeconfig(environment: NodeJS.ProcessEnv): string {
  const first = environment['KUBECONFIG']?.split(delimiter).find((part) => part !== '');
  return first ?? join(environment['HOME'] ?? homedir(), '.kube', 'config');
}

/**
 * Merges the administrator's kubeconfig of a data directory into a file and makes its context the current one; everything else in
 * the file is kept. The file is noted for a later reset. Gives what was merged; throws `KUBE_NO_CLUSTER` when there is none.
 */
export async function mergeAdminKubeconfig(directory: DataDirectory, file: string): Promise<Kubeconfig> {
  const addition = await adminKubeconfig(directory);
  await rememberMerged(directory, file);
  await updateKubeconfigFile(file, (existing) => mergeKubeconfig(existing, addition), { clock: new SystemClock(), random: new SystemRandom() });
  return addition;
}

/** The administrator's kubeconfig of a data directory. Throws `KUBE_NO_CLUSTER` when there is none. */
export async function adminKubeconfig(directory: DataDirectory): Promise<Kubeconfig> {
  const config = await readKubeconfigFile(directory.kubeconfig);
  if (!config) throw new KubeError('KUBE_NO_CLUSTER', `there is no cluster in ${directory.path}; start one with "kube run all --data-dir ${directory.path}"`);
  return config;
}

/** YAML text. */
export const renderConfig = renderKubeconfig;
