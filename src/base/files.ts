import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './errors.js';

/** The text of a file; undefined when it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file as a whole: readers see the old content or the new one, also after a crash. The folder is
 * made when missing (mode 0700).
 */
export async function writeAtomically(path: string, content: string, mode = 0o600): Promise<void> {
  await makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes a folder (mode 0700) and those above it. Node's own recursive mkdir never returns on file systems that answer ENOENT for a
 * folder that cannot be made, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path || (await exists(parent))) {
      // Somebody else may have made its parent, or the folder itself, since.
      if (errorCode(error) === 'ENOENT' && parent !== path && (await madeMeanwhile(path))) return;
      throw error;
    }
    await makeFolder(parent);
    await madeMeanwhile(path, true);
  }
}

/** One more try; true when the folder is there now. */
async function madeMeanwhile(path: string, must = false): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return true;
    if (must) throw error;
    return false;
  }
}

/** Whether there is something at a path, be it a dangling link. */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
