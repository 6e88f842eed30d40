import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runChecked } from '../../../base/process/run-checked.js';
import type { Commands } from '../../../base/process/commands.js';

const SET_GID = 0o2000;
const PERMISSIONS = 0o7777;
/** Added to what files have, for group and owner; folders get their `x`, and set-group-ID so that new files belong to the group too. */
const WRITABLE = 0o660;
const READABLE = 0o440;
const ENTER = 0o110;

/** Gives a small tree (files that the agent wrote) to a group. Links are not followed. */
export async function ownContent(path: string, gid: number): Promise<void> {
  const info = await lstat(path);
  if (info.isDirectory()) for (const name of await readdir(path)) await ownContent(join(path, name), gid);
  await lchown(path, info.uid, gid);
  if (!info.isSymbolicLink()) await chmod(path, (info.mode & PERMISSIONS) | READABLE | (info.isDirectory() ? ENTER | SET_GID : 0));
}

/** Gives one folder to a group that may write in it. */
export async function ownFolder(path: string, gid: number): Promise<void> {
  const info = await lstat(path);
  await lchown(path, info.uid, gid);
  await chmod(path, (info.mode & PERMISSIONS) | WRITABLE | ENTER | SET_GID);
}

/**
 * Gives a volume of any size to a group: `fsGroup`. With `onRootMismatch` nothing is done when its root already looks right; the root
 * is changed last, so that an interrupted change is seen as such.
 */
export async function ownVolume(commands: Commands, path: string, gid: number, onRootMismatch: boolean): Promise<void> {
  const info = await lstat(path);
  const wanted = WRITABLE | ENTER | SET_GID;
  if (onRootMismatch && info.isDirectory() && info.gid === gid && (info.mode & wanted) === wanted) return;
  await runChecked(commands, 'find', [
    path, '-mindepth', '1', '-exec', 'chown', '-h', `:${gid}`, '--', '{}', '+', '(', '-type', 'd', '-exec', 'chmod', 'ug+rwx,g+s', '--', '{}', '+', '-o', '!', '-type', 'l', '-exec', 'chmod', 'ug+rw', '--', '{}', '+', ')',
  ]);
  await ownFolder(path, gid);
}
