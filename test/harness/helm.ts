import { join } from 'node:path';
import { run, type ExecutableCluster } from './executable.js';

/** Runs Helm; rejects when the exit code is not 0, unless `fails`: then it must not be 0, and the output has stderr too. */
export type Helm = (args: string, options?: { readonly fails?: boolean }) => Promise<string>;

/** Helm 4 or 3 against a cluster; its folders are in the cluster's. */
export function helmOf(cluster: ExecutableCluster, version: 4 | 3): Helm {
  const binary = join(import.meta.dirname, `../../.cache/tools/v${version === 4 ? 35 : 32}/helm`);
  const home = join(cluster.dataDir, `helm-${version}`);
  return async (args, { fails = false } = {}) => {
    const environment = { ...process.env, KUBECONFIG: cluster.ready.kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    const { code, stdout, stderr } = await run(binary, args.split(' '), { env: environment });
    if (fails !== (code !== 0)) throw new Error(`helm ${args} ended with code ${code}: ${stderr}${stdout}`);
    return fails ? stdout + stderr : stdout;
  };
}
