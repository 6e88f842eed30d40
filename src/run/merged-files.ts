import { resolve } from 'node:path';
import { readIfPresent, writeAtomically } from '../base/files.js';
import type { DataDirectory } from './data-directory.js';

/** Absolute paths of the kubeconfig files into which a cluster's context was merged; a list that cannot be read counts as empty. */
export async function mergedFiles(directory: DataDirectory): Promise<readonly string[]> {
  const text = await readIfPresent(directory.mergedFiles);
  if (text === undefined) return [];
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

/** Notes a file, so that a later reset finds the context in it, whether the cluster runs then or not. */
export async function rememberMerged(directory: DataDirectory, file: string): Promise<void> {
  const known = await mergedFiles(directory);
  const path = resolve(file);
  if (!known.includes(path)) await writeAtomically(directory.mergedFiles, `${JSON.stringify([...known, path], null, 2)}\n`);
}
