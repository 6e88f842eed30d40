import type { Dirent } from 'node:fs';
import { readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../../base/files.js';
import { errorCode, KubeError } from '../../../base/errors.js';
import { COMMAND_FAILED, type Commands } from '../../../base/process/commands.js';
import type { Mounter } from './mounter.js';

/**
 * Removes a pod's folder with everything below. First all that is mounted there is unmounted, and seen to be gone: what was mounted
 * (a persistent volume, a folder of the host) is never removed. Links are not followed. Throws `KUBE_COMMAND` when it cannot be done.
 */
export async function removePodFolder(commands: Commands, mounter: Mounter, folder: string): Promise<void> {
  if (!(await exists(folder))) return;
  await mounter.unmountBelow(folder);
  await removeMountPoints(folder);
  // In a process of its own: there may be many files. It stays on one file system even if something was mounted this very moment.
  const result = await commands.run('rm', ['-rf', '--one-file-system', '--', folder]);
  if (result.code !== 0) throw new KubeError(COMMAND_FAILED, `cannot remove ${folder}: ${result.stderr.toString().trim().slice(0, 500)}`);
}

/**
 * Places where data of others was mounted are removed one by one, and only as the empty folders and files that they are: should something be
 * mounted in spite of all, it is an error instead of a loss.
 */
async function removeMountPoints(folder: string): Promise<void> {
  for (const plugin of ['local-volume', 'nfs', 'image']) {
    const parent = join(folder, 'volumes', `kubernetes.io~${plugin}`);
    for (const entry of await entriesOf(parent)) await rmdir(join(parent, entry.name));
  }
  await removeSubPaths(join(folder, 'volume-subpaths'), 2);
}

/** `<volume>/<container>/<index>`. */
async function removeSubPaths(folder: string, depth: number): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (depth > 0) {
      await removeSubPaths(path, depth - 1);
      await rmdir(path);
    } else await (entry.isDirectory() ? rmdir(path) : unlink(path));
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
