import { chmod, lchown, mkdir, readdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../base/errors.js';
import { ownContent } from '../host/ownership.js';
import { cleanPayloadPath } from './payload-path.js';

/** One file of a volume. */
export interface FileProjection {
  readonly data: Buffer;
  readonly mode: number;
  /** Owner; absent: root. */
  readonly uid?: number;
}

/** Files by their path in the volume. */
export type Payload = ReadonlyMap<string, FileProjection>;

export interface WriteOptions {
  /** Group of everything in the volume. */
  readonly gid?: number;
  /** A name that was never used before: `..2026_01_02_03_04_05.<random>`. */
  readonly version: () => string;
}

/** The link that clients watch and follow. */
const DATA = '..data';
const NEW_DATA = '..data_tmp';

/**
 * Makes a folder show a payload. Files stand in a folder of their own, which the link `..data` names; the names that users see are links
 * through it. Replacing the one link replaces all files at once: readers who follow it see one payload or the other, never parts of both. Idempotent after a
 * crash at any point. Returns false when it showed the payload already. Throws for paths that are not allowed, before anything is changed.
 */
export async function writePayload(folder: string, payload: Payload, options: WriteOptions): Promise<boolean> {
  const files = new Map([...payload].map(([path, file]) => [cleanPayloadPath(path), file]));
  const current = await linkTarget(join(folder, DATA));
  const same = current !== undefined && (await shows(join(folder, current), files));
  if (!same) await replace(folder, files, options);
  await linkNames(folder, files);
  if (!same) await removeOldVersions(folder);
  return !same;
}

/** `..2026_01_02_03_04_05.<suffix>`: the name of a version of a payload. */
export function versionName(milliseconds: number, suffix: string): string {
  const [date, time] = new Date(milliseconds).toISOString().slice(0, 19).split('T') as [string, string];
  return `..${date.replaceAll('-', '_')}_${time.replaceAll(':', '_')}.${suffix}`;
}

async function replace(folder: string, files: Payload, { gid, version }: WriteOptions): Promise<void> {
  const name = version();
  const target = join(folder, name);
  await mkdir(target, { mode: 0o755 });
  try {
    await chmod(target, 0o755);
    for (const [path, file] of files) await writeOne(target, path, file);
    if (gid !== undefined) await ownContent(target, gid);
    await rm(join(folder, NEW_DATA), { force: true });
    await symlink(name, join(folder, NEW_DATA));
    await rename(join(folder, NEW_DATA), join(folder, DATA));
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

async function writeOne(target: string, path: string, file: FileProjection): Promise<void> {
  const full = join(target, path);
  let parent = target;
  for (const part of dirname(path).split('/')) {
    if (part === '.') break;
    parent = join(parent, part);
    await mkdir(parent).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await chmod(parent, 0o755);
  }
  await writeFile(full, file.data, { mode: 0o600, flag: 'wx' });
  if (file.uid !== undefined) await lchown(full, file.uid, 0);
  await chmod(full, file.mode & 0o777);
}

/** Whether a version has exactly these files with this content. */
async function shows(version: string, files: Payload): Promise<boolean> {
  const found = await listFiles(version, '');
  if (!found || found.length !== files.size) return false;
  for (const path of found) {
    const file = files.get(path);
    if (!file || !file.data.equals(await readFile(join(version, path)))) return false;
  }
  return true;
}

/** Undefined when there is no such folder. */
async function listFiles(folder: string, prefix: string): Promise<string[] | undefined> {
  try {
    const result: string[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) result.push(...((await listFiles(join(folder, entry.name), `${prefix}${entry.name}/`)) ?? []));
      else result.push(prefix + entry.name);
    }
    return result;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Links for the first parts of all paths, and none for others. Folders that are there for nested mounts stay. */
async function linkNames(folder: string, files: Payload): Promise<void> {
  const wanted = new Set([...files.keys()].map((path) => path.split('/', 1)[0]!));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('..') || !entry.isSymbolicLink()) continue;
    if ((await linkTarget(join(folder, entry.name))) !== `${DATA}/${entry.name}`) continue;
    if (!wanted.delete(entry.name)) await unlink(join(folder, entry.name));
  }
  for (const name of wanted) {
    await symlink(`${DATA}/${name}`, join(folder, name)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}

/** Also those that a crash left behind. */
async function removeOldVersions(folder: string): Promise<void> {
  const current = await linkTarget(join(folder, DATA));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name.startsWith('..') && entry.name !== current) await rm(join(folder, entry.name), { recursive: true, force: true });
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
