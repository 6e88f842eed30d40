import { mkdir, readdir } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { V1ImageVolumeSource, V1Pod } from '../../../api/generated/types.js';
import { errorCode } from '../../../base/errors.js';
import type { ImageStore } from '../../images/image-store.js';
import { pullCredentials } from '../../pods/pull-credentials.js';
import type { References } from '../../references/references.js';
import { isFileSystemRoot, isSameFile, type MountRequest } from '../host/mounter.js';
import type { PodPaths } from '../host/pod-paths.js';
import type { PreparedVolume } from './prepared.js';
import type { SourceContext } from './source-context.js';

/** What volumes need of an image store. */
export type VolumeImages = Pick<ImageStore, 'imageStatus' | 'pullImage' | 'unpacked' | 'hold' | 'release'>;

/** The files of an image, never written to. It is pulled by the same rules as a container's, with the pod's credentials. */
export async function prepareImage(context: SourceContext, images: VolumeImages, { reference = '', pullPolicy }: V1ImageVolumeSource): Promise<PreparedVolume> {
  const { paths, uid, pod, volume, references } = context;
  const folder = paths.volume(uid, 'image', volume.name);
  const ready: PreparedVolume = { hostPath: folder, readonly: true, fixed: true };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Mounted already, by an earlier process too; a bound layer is seen below.
  if (await isFileSystemRoot(folder)) return ready;
  const ref = await presentImage(images, pod, references, reference, pullPolicy);
  await images.hold(ref, holder(uid, volume.name));
  const layers = (await images.unpacked(ref))?.layers ?? [];
  const [top] = layers;
  if (top === undefined || (await isSameFile(top, folder))) return ready;
  return { ...ready, mount: layers.length === 1 ? { type: 'bind', source: top, target: folder, options: ['ro'] } : overlay(layers, folder) };
}

/** Names of a pod's image volumes on disk; their images are given back once the pod's folder is gone. */
export async function imageVolumes(paths: PodPaths, uid: string): Promise<string[]> {
  try {
    return await readdir(paths.plugin(uid, 'image'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Under which name a volume holds its image. */
export function holder(uid: string, volume: string): string {
  return `volume-${uid}-${volume}`;
}

async function presentImage(images: VolumeImages, pod: V1Pod, references: References, reference: string, pullPolicy: string | undefined): Promise<string> {
  const name = reference.includes('@') || reference.lastIndexOf(':') > reference.lastIndexOf('/') ? reference : `${reference}:latest`;
  const policy = pullPolicy ?? (name.endsWith(':latest') ? 'Always' : 'IfNotPresent');
  const present = policy === 'Always' ? undefined : await images.imageStatus(name);
  if (present) return present.ref;
  if (policy === 'Never') throw new Error(`image "${reference}" is not present with pull policy of Never`);
  const { auths } = await pullCredentials(pod, name, references);
  let last: unknown;
  for (const auth of auths.length > 0 ? auths : [undefined]) {
    try {
      return await images.pullImage(name, auth ? { auth } : {});
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Names of layers are relative to the folder that they have in common: mount(2) takes one page of options. */
function overlay(layers: readonly string[], target: string): MountRequest {
  let cwd = dirname(layers[0]!);
  while (!layers.every((layer) => layer.startsWith(cwd === '/' ? '/' : `${cwd}/`))) cwd = dirname(cwd);
  return { type: 'overlay', source: 'overlay', target, options: ['ro', `lowerdir=${layers.map((layer) => relative(cwd, layer)).join(':')}`], cwd };
}
