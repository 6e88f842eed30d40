import { mkdir, open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { V1HostPathVolumeSource } from '../../../api/generated/types.js';
import { errorCode } from '../../../base/errors.js';
import type { PreparedVolume } from './prepared.js';

const KINDS: Readonly<Record<string, { readonly test: (info: Stats) => boolean; readonly noun: string; readonly create?: (path: string) => Promise<void> }>> = {
  Directory: { test: (info) => info.isDirectory(), noun: 'a directory' },
  DirectoryOrCreate: { test: (info) => info.isDirectory(), noun: 'a directory', create: async (path) => void (await mkdir(path, { recursive: true, mode: 0o755 })) },
  File: { test: (info) => info.isFile(), noun: 'a file' },
  FileOrCreate: { test: (info) => info.isFile(), noun: 'a file', create: async (path) => (await open(path, 'a', 0o644)).close() },
  Socket: { test: (info) => info.isSocket(), noun: 'a socket file' },
  CharDevice: { test: (info) => info.isCharacterDevice(), noun: 'a character device' },
  BlockDevice: { test: (info) => info.isBlockDevice(), noun: 'a block device' },
};

/** A file or folder of the host: nothing is mounted, its type is checked. Throws with upstream's message. */
export async function prepareHostPath({ path, type = '' }: V1HostPathVolumeSource, readonly: boolean): Promise<PreparedVolume> {
  if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  if (type !== '') await checkType(path, type);
  return { hostPath: path, readonly };
}

async function checkType(path: string, type: string): Promise<void> {
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) throw new Error(`${type} is an invalid volume type`);
  const info = await statIfPresent(path);
  if (!info && kind.create) return kind.create(path);
  if (!info || !kind.test(info)) throw new Error(`hostPath type check failed: ${path} is not ${kind.noun}`);
}

/** Links are followed. Undefined when there is nothing. */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
