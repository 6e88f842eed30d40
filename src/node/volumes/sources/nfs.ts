import { mkdir } from 'node:fs/promises';
import type { V1NFSVolumeSource } from '../../../api/generated/types.js';
import { isFileSystemRoot } from '../host/mounter.js';
import type { PreparedVolume } from './prepared.js';
import type { SourceContext } from './source-context.js';

/** A folder of an NFS server. `name` is the volume's in the pod, or that of the persistent volume. */
export async function prepareNfs({ paths, uid }: SourceContext, name: string, source: V1NFSVolumeSource, readonly: boolean, options: readonly string[]): Promise<PreparedVolume> {
  const folder = paths.volume(uid, 'nfs', name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const readOnly = readonly || source.readOnly === true;
  if (await isFileSystemRoot(folder)) return { hostPath: folder, readonly: readOnly };
  const server = source.server.includes(':') ? `[${source.server}]` : source.server;
  return { hostPath: folder, readonly: readOnly, mount: { type: 'nfs', source: `${server}:${source.path}`, target: folder, options: [...(readOnly ? ['ro'] : []), ...options] } };
}
