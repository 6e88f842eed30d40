import { mkdir, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join, relative } from 'node:path';
import { errorCode } from '../../../base/errors.js';

/** Linux' `O_PATH`: names a file of any kind without opening it. Node has no constant for it. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_DIRECTORY, O_RDONLY } = constants;

/**
 * Names what lies at `path` below `base`, whatever a process that may write there does meanwhile: links are resolved first, and the result
 * must lie inside; then every part of it is opened from its parent, which a link in its place makes fail. The caller closes the handle; until then
 * `/proc/<pid>/fd/<fd>` is this very file.
 */
export async function openInside(base: string, path: string): Promise<FileHandle> {
  const root = await realpath(base);
  const target = await realpath(join(root, path));
  const parts = partsBelow(root, target);
  let handle = await open(root, O_PATH | O_NOFOLLOW | O_DIRECTORY).catch((error: unknown) => {
    // A volume that is a single file has nothing below it.
    if (errorCode(error) === 'ENOTDIR' && target === root) return open(root, O_PATH | O_NOFOLLOW);
    throw error;
  });
  for (const part of parts) {
    const parent = handle;
    try {
      handle = await open(child(parent, part), O_PATH | O_NOFOLLOW);
    } finally {
      await parent.close();
    }
    try {
      if ((await handle.stat()).isSymbolicLink()) throw new Error(`${part} was replaced by a link`);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  return handle;
}

/** Makes a folder and those above it inside of `base`, as safely; each gets exactly `mode`. What is there already stays as it is. */
export async function makeFoldersInside(base: string, path: string, mode: number): Promise<void> {
  const root = await realpath(base);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const missing: string[] = [];
  let existing: string | undefined;
  while ((existing = await realpathIfPresent(join(root, ...parts))) === undefined) missing.unshift(parts.pop()!);
  let handle = await openInside(root, relative(root, existing) === '' ? '.' : inside(root, existing));
  try {
    for (const part of missing) {
      const made = await makeFolderIn(handle, part);
      const parent = handle;
      handle = await open(child(parent, part), O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
      await parent.close();
      if (made) await handle.chmod(mode);
    }
  } finally {
    await handle.close();
  }
}

/** All bits of a path's mode. */
export async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o7777;
}

function child(parent: FileHandle, name: string): string {
  return `/proc/self/fd/${parent.fd}/${name}`;
}

async function makeFolderIn(parent: FileHandle, name: string): Promise<boolean> {
  try {
    await mkdir(child(parent, name), { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function partsBelow(root: string, target: string): string[] {
  const rest = inside(root, target);
  return rest === '' ? [] : rest.split('/');
}

function inside(root: string, target: string): string {
  const rest = relative(root, target);
  if (rest === '..' || rest.startsWith('../') || rest.startsWith('/')) throw new Error(`${target} is outside of ${root}`);
  return rest;
}

async function realpathIfPresent(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
