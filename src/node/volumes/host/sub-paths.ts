import { mkdir, rmdir, stat, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../../base/errors.js';
import type { Mounter, MountRequest } from './mounter.js';
import { makeFoldersInside, modeOf, openInside } from './safe-path.js';

/** One `subPath` of a container. */
export interface SubPath {
  /** Where the volume is on the host. */
  readonly volumePath: string;
  /** Relative, without `..`. */
  readonly path: string;
  /** Where it is bound: a place that no container can reach. */
  readonly target: string;
  /** A folder is made when nothing is there. */
  readonly create: boolean;
}

/** Why one could not be bound; the details are not for users, who would learn about the host's files. */
export interface SubPathFailure {
  readonly index: number;
  readonly while: 'create' | 'prepare';
  readonly error: unknown;
}

/**
 * Binds parts of volumes to places of their own, so that nobody who writes in the volume can swap them for something else between the check and the mount. What is
 * bound already, and still the same file, stays. Resolves with the first failure, if any.
 */
export async function bindSubPaths(mounter: Mounter, subPaths: readonly SubPath[]): Promise<SubPathFailure | undefined> {
  const handles: FileHandle[] = [];
  try {
    const requests: MountRequest[] = [];
    const indexes: number[] = [];
    for (const [index, subPath] of subPaths.entries()) {
      if (subPath.create) {
        try {
          await makeFoldersIfMissing(subPath);
        } catch (error) {
          return { index, while: 'create', error };
        }
      }
      try {
        const handle = await openInside(subPath.volumePath, subPath.path);
        handles.push(handle);
        if (await isBound(handle, subPath.target)) continue;
        await prepareTarget(mounter, handle, subPath.target);
        requests.push({ type: 'bind', source: `/proc/${process.pid}/fd/${handle.fd}`, target: subPath.target, options: [] });
        indexes.push(index);
      } catch (error) {
        return { index, while: 'prepare', error };
      }
    }
    const errors = await mounter.mount(requests);
    const failed = errors.findIndex((error) => error !== undefined);
    return failed < 0 ? undefined : { index: indexes[failed]!, while: 'prepare', error: errors[failed] };
  } finally {
    for (const handle of handles) await handle.close();
  }
}

async function makeFoldersIfMissing({ volumePath, path }: SubPath): Promise<void> {
  try {
    await stat(`${volumePath}/${path}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFoldersInside(volumePath, path, await modeOf(volumePath));
  }
}

async function isBound(handle: FileHandle, target: string): Promise<boolean> {
  try {
    const [source, bound] = await Promise.all([handle.stat(), stat(target)]);
    return source.dev === bound.dev && source.ino === bound.ino;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A place of the right kind, with nothing mounted: an earlier container's file may have been replaced since. */
async function prepareTarget(mounter: Mounter, handle: FileHandle, target: string): Promise<void> {
  const folder = (await handle.stat()).isDirectory();
  await mkdir(target.slice(0, target.lastIndexOf('/')), { recursive: true, mode: 0o700 });
  try {
    if (folder) await mkdir(target, { mode: 0o700 });
    else await writeFile(target, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await mounter.unmountBelow(target);
    const found = await stat(target);
    if (found.isDirectory() === folder) return;
    await (found.isDirectory() ? rmdir(target) : unlink(target));
    await prepareTarget(mounter, handle, target);
  }
}
