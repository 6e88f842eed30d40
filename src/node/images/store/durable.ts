import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../base/errors.js';
import type { Layout } from './layout.js';

/** Replaces a file by a JSON document, as a whole; it is on the disk when this resolves. */
export async function writeDocument(layout: Layout, path: string, document: unknown): Promise<void> {
  const temporary = layout.temporary();
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(document));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A JSON document; undefined when there is none, or none that can be read. */
export async function readDocument(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Removes a file if it is there. */
export async function removeDocument(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Makes renames in a folder lasting. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** All documents of a folder with their paths. */
export async function readDocuments(folder: string): Promise<readonly { readonly path: string; readonly document: unknown }[]> {
  const names = await readdir(folder);
  const found: { readonly path: string; readonly document: unknown }[] = [];
  for (let at = 0; at < names.length; at += 32) {
    found.push(...(await Promise.all(names.slice(at, at + 32).map(async (name) => ({ path: `${folder}/${name}`, document: await readDocument(`${folder}/${name}`) })))));
  }
  return found;
}
