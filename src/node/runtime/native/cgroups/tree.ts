import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { errorCode } from '../../../../base/errors.js';

/** The group in a folder and all below it, deepest first; none when it does not exist. */
export async function groupFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return [];
  const below = await Promise.all(entries.filter((entry) => entry.isDirectory()).map((entry) => groupFolders(`${folder}/${entry.name}`)));
  return [...below.flat(), folder];
}

/** Process numbers in a group and below it. */
export async function groupProcesses(folder: string): Promise<number[]> {
  const texts = await Promise.all((await groupFolders(folder)).map((item) => readFile(`${item}/cgroup.procs`, 'utf8').catch(() => '')));
  return [...new Set(texts.join('\n').split('\n').filter((line) => line !== '' && line !== '0').map(Number))];
}

/** Removes a group and those below it; those that are in use stay. */
export async function removeGroup(folder: string): Promise<void> {
  for (const item of await groupFolders(folder)) {
    await rmdir(item).catch((error: unknown) => {
      if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
    });
  }
}

/** Writes a control file; false when this kernel has none of this name. */
export async function writeControl(path: string, value: string): Promise<boolean> {
  try {
    await writeFile(path, value, { flag: 'r+' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Whether a control file's `oom_kill` counts any. */
export async function countsOutOfMemory(path: string): Promise<boolean> {
  return /^oom_kill [1-9]/m.test(await readFile(path, 'utf8').catch(() => ''));
}
