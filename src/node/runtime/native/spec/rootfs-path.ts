import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { errorCode, KubeError } from '../../../../base/errors.js';

/** Links that are followed before a path counts as a cycle; the kernel's own limit is 40. */
const MAX_LINKS = 40;

/**
 * Where a path of a container leads on the host: links are followed as if `root` were `/`, so that nothing leads out of it. What does not
 * exist is taken as it is. Only for file systems in which nothing runs yet. Throws `KUBE_ROOTFS_PATH` when links go in circles.
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
  const left = path.split('/');
  const done: string[] = [];
  let links = 0;
  while (left.length > 0) {
    const name = left.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      done.pop();
      continue;
    }
    const target = await readlink(`${root}/${[...done, name].join('/')}`).catch(() => undefined);
    if (target === undefined) {
      done.push(name);
      continue;
    }
    if (++links > MAX_LINKS) throw new KubeError('KUBE_ROOTFS_PATH', `path ${JSON.stringify(path)} of the image: too many levels of symbolic links`);
    if (target.startsWith('/')) done.length = 0;
    left.unshift(...target.split('/'));
  }
  return done.length === 0 ? root : `${root}/${done.join('/')}`;
}

/** The beginning of a file of a container's file system, at most `limit` bytes; empty when it does not exist or is no plain file. */
export async function readInRoot(root: string, path: string, limit: number): Promise<string> {
  const place = await resolveInRoot(root, path);
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  });
  if (!file) return '';
  try {
    const status = await file.stat();
    if (!status.isFile()) return '';
    const buffer = Buffer.alloc(Math.min(limit, status.size));
    let read = 0;
    while (read < buffer.length) {
      const { bytesRead } = await file.read(buffer, read, buffer.length - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return buffer.subarray(0, read).toString();
  } finally {
    await file.close();
  }
}
