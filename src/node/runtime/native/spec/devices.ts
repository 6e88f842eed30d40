import { readdir, stat } from 'node:fs/promises';
import { errorMessage, KubeError } from '../../../../base/errors.js';
import type { OciDevice } from './oci.js';

/** Not devices of the machine but of a file system of their own, or of one terminal. */
const LEFT_OUT = new Set(['pts', 'shm', 'fd', 'mqueue', 'console', '.lxc', '.lxd-mounts', '.udev']);

/** All devices of the host, for privileged containers. */
export async function hostDevices(folder = '/dev'): Promise<OciDevice[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(entries.map(async (entry): Promise<OciDevice[]> => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return hostDevices(path);
    if (!entry.isCharacterDevice() && !entry.isBlockDevice()) return [];
    return device(path, path).then((item) => [item], () => []);
  }));
  return found.flat();
}

/** A device of the host under its path in a container. Rejects (`KUBE_DEVICE`) when it is none. */
export async function device(hostPath: string, containerPath: string): Promise<OciDevice> {
  const status = await stat(hostPath).catch((error: unknown) => {
    throw new KubeError('KUBE_DEVICE', `device ${hostPath}: ${errorMessage(error)}`, { cause: error });
  });
  if (!status.isCharacterDevice() && !status.isBlockDevice()) throw new KubeError('KUBE_DEVICE', `device ${hostPath}: not a device node`);
  const number = BigInt(status.rdev);
  return {
    path: containerPath,
    type: status.isBlockDevice() ? 'b' : 'c',
    // glibc's gnu_dev_major and gnu_dev_minor.
    major: Number(((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n)),
    minor: Number((number & 0xffn) | ((number >> 12n) & 0xffffff00n)),
    fileMode: status.mode & 0o7777,
    uid: status.uid,
    gid: status.gid,
  };
}
