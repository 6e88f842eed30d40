import { copyFile, chmod, chown, readlink, utimes, constants } from 'node:fs/promises';
import { refused } from '../image-error.js';
import { writeSymlink } from './file-writer.js';
import type { LayerNode } from './layer-tree.js';
import type { LowerEntry } from './lower-view.js';

/** Copies a file or symbolic link of the layers below into this one, as overlayfs does before it is linked. */
export async function copyUp(below: LowerEntry, file: string, what: string): Promise<LayerNode> {
  const { stats } = below;
  const attributes = { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid, mtime: stats.mtimeMs / 1000 };
  if (stats.isSymbolicLink()) {
    const target = await readlink(below.file);
    await writeSymlink(file, target, attributes);
    return { kind: 'link', target };
  }
  if (!stats.isFile()) throw refused(`${what}: it is a hard link to something of a lower layer that is not a file`);
  await copyFile(below.file, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chown(file, attributes.uid, attributes.gid);
  await chmod(file, attributes.mode);
  await utimes(file, attributes.mtime, attributes.mtime);
  return { kind: 'file' };
}
