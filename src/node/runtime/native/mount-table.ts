import { readFile } from 'node:fs/promises';

/** A mount of this process's mount namespace. */
export interface MountEntry {
  readonly path: string;
  /** `overlay`, `nsfs`, `tmpfs`, …. */
  readonly type: string;
}

/** All mounts, in the order in which they were made. */
export async function mountTable(file = '/proc/self/mountinfo'): Promise<readonly MountEntry[]> {
  return parseMountInfo(await readFile(file, 'utf8'));
}

/** Reads the kernel's table (proc(5), `mountinfo`). */
export function parseMountInfo(text: string): readonly MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const dash = fields.indexOf('-');
    return fields.length < 7 || dash < 0 ? [] : [{ path: unescape(fields[4]!), type: fields[dash + 1]! }];
  });
}

/** Mounts at a folder or below it, the last one first: the order in which they can be taken away. */
export function mountsBelow(table: readonly MountEntry[], folder: string): readonly string[] {
  return table.filter((mount) => mount.path === folder || mount.path.startsWith(`${folder}/`)).map((mount) => mount.path).reverse();
}

function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(parseInt(octal, 8)));
}
