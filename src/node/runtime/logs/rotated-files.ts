import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { COMPRESSED, TEMPORARY } from './compress.js';

/** Files that a log was rotated to. */
export interface RotatedFiles {
  /** Oldest first. */
  readonly inUse: readonly string[];
  /** Left by a rotation that was interrupted. */
  readonly unused: readonly string[];
}

/** Finds the files `<log>.<timestamp>[.gz]` of a log. */
export async function rotatedFiles(log: string): Promise<RotatedFiles> {
  const folder = dirname(log);
  const prefix = `${basename(log)}.`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  const present = new Set(names);
  const used = (name: string): boolean => !name.endsWith(TEMPORARY) && !present.has(`${name}${COMPRESSED}`);
  const paths = (wanted: boolean): string[] => names.filter((name) => used(name) === wanted).map((name) => join(folder, name));
  return { inUse: paths(true), unused: paths(false) };
}
