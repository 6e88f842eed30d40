import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { release } from 'node:os';
import type { V1Pod } from '../../../api/generated/types.js';
import { podLimits } from '../../../api/helpers/pod-resources.js';
import { quantityValue } from '../../../api/quantity.js';
import { exists } from '../../../base/files.js';
import { isFileSystemRoot, type MountRequest } from '../host/mounter.js';
import { ownFolder } from '../host/ownership.js';
import { allContainers } from '../../pods/container-kind.js';
import type { PreparedVolume } from './prepared.js';
import type { SourceContext } from './source-context.js';

/** An empty folder that lives as long as the pod, on disk or in memory. */
export async function prepareEmptyDir(context: SourceContext): Promise<PreparedVolume> {
  const { medium = '', sizeLimit } = context.volume.emptyDir ?? {};
  const folder = context.paths.volume(context.uid, 'empty-dir', context.volume.name);
  if (medium === 'Memory') {
    const mount = await memoryMount(context, folder, sizeLimit);
    return { hostPath: folder, readonly: false, ...(mount ? { mount } : {}) };
  }
  if (medium.startsWith('HugePages')) throw new Error(`medium ${medium}: emptyDir volumes of huge pages are not supported`);
  if (medium !== '') throw new Error(`unknown storage medium ${JSON.stringify(medium)}`);
  await diskFolder(context, folder);
  return { hostPath: folder, readonly: false, counted: true };
}

/** Made beside its place and moved there when it is ready: containers may change its mode later, and a half-made one is never seen. */
async function diskFolder({ paths, uid, volume, fsGroup }: SourceContext, folder: string): Promise<void> {
  if (await exists(folder)) return;
  const parent = paths.plugin(uid, 'empty-dir');
  // Names of volumes never begin with a dot.
  const made = `${parent}/.${volume.name}`;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  await chmod(made, 0o777);
  if (fsGroup !== undefined) await ownFolder(made, fsGroup);
  await rename(made, folder);
}

/** Makes the folder, and says what to mount there; undefined when it is mounted already. */
export async function memoryMount({ pod, fsGroup, allocatable }: SourceContext, folder: string, sizeLimit?: string): Promise<MountRequest | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (await isFileSystemRoot(folder)) return undefined;
  const size = memorySize(pod, allocatable, sizeLimit);
  return {
    type: 'tmpfs', source: 'tmpfs', target: folder,
    options: [...(size > 0 ? [`size=${size}`] : []), ...(withoutSwap() ? ['noswap'] : []), ...(fsGroup === undefined ? ['mode=1777'] : ['mode=3777', `gid=${fsGroup}`])],
  };
}

/** Linux 6.4 and later can keep a tmpfs out of the swap space. */
function withoutSwap(): boolean {
  const [major = 0, minor = 0] = release().split('.').map((part) => Number.parseInt(part, 10));
  return major > 6 || (major === 6 && minor >= 4);
}

/** Upstream's rule: what the pod may use in memory, at most what the node gives to all pods; a smaller `sizeLimit` wins. In bytes; 0: nothing of it is known. */
export function memorySize(pod: V1Pod, allocatable: Readonly<Record<string, string>>, sizeLimit?: string): number {
  const limits = [quantityValue(allocatable['memory'] ?? '0'), podMemoryLimit(pod), sizeLimit === undefined ? 0 : quantityValue(sizeLimit)].filter((value) => value > 0);
  return limits.length > 0 ? Math.min(...limits) : 0;
}

/** 0 unless the pod, or each of its containers, has a limit. */
function podMemoryLimit(pod: V1Pod): number {
  const own = pod.spec?.resources?.limits?.['memory'];
  if (own !== undefined) return quantityValue(own);
  for (const container of allContainers(pod)) {
    if (pod.spec?.ephemeralContainers?.some((ephemeral) => ephemeral.name === container.name)) continue;
    if (container.resources?.limits?.['memory'] === undefined) return 0;
  }
  return podLimits(pod).get('memory') ?? 0;
}
