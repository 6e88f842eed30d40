import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { NodeHost } from '../node/index.js';
import type { DataDirectory } from './data-directory.js';

/** Folder of everything that does not survive a restart of the host; one folder for each cluster. */
export const RUN_FOLDER = '/run/kube';

/**
 * Id of the cluster in a data directory: it follows from the directory's path, so that the cluster's things on the host are found also
 * when the directory itself is gone.
 */
export function clusterId(directory: DataDirectory): string {
  return createHash('sha256').update(directory.path).digest('hex').slice(0, 8);
}

/** Names and places of a cluster's things on this host. */
export function hostLayout(directory: DataDirectory): NodeHost {
  const id = clusterId(directory);
  return {
    clusterId: id,
    stateFolder: join(directory.path, 'node'),
    runFolder: join(RUN_FOLDER, id),
    cgroup: `/kube-${id}`,
    interfacePrefix: `k${id}`,
    tablePrefix: `kube-${id}`,
  };
}
