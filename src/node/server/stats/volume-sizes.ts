import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod, V1Volume } from '../../../api/generated/types.js';
import { readFileSystemStats, type FileSystemStats } from '../../runtime/native/stats/index.js';

/** What one volume of a pod holds. */
export interface VolumeReading {
  readonly name: string;
  /** Name of its claim. */
  readonly claim?: string;
  /** Its files take up the node's own disk and go with the pod. */
  readonly ephemeral: boolean;
  /** Inodes of volumes whose files were not counted one by one are not known. */
  readonly fileSystem: Omit<FileSystemStats, 'inodesUsed'> & { readonly inodesUsed?: number };
}

/** Volumes that the agent fills hold few files: counting stops here. */
const MOST_FILES = 1000;

/**
 * What the volumes of a pod hold. Those that are file systems of their own (claims, memory) are asked; emptyDirs on disk have been
 * counted before (`counted`, bytes by name); what the agent has written itself is counted file by file. Volumes of the host's folders are nobody's use.
 */
export async function readVolumes(pod: V1Pod, folders: ReadonlyMap<string, string>, counted: ReadonlyMap<string, number>): Promise<readonly VolumeReading[]> {
  const readings = await Promise.all(
    (pod.spec?.volumes ?? []).map(async (volume): Promise<VolumeReading | undefined> => {
      const folder = folders.get(volume.name);
      if (folder === undefined || volume.hostPath || volume.image) return undefined;
      const fileSystem = await readFileSystemStats(folder).catch(() => undefined);
      if (!fileSystem) return undefined;
      const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${pod.metadata?.name}-${volume.name}` : undefined);
      const own = await ownUse(volume, folder, counted.get(volume.name));
      return { name: volume.name, ...(claim === undefined ? {} : { claim }), ephemeral: isEphemeral(volume), fileSystem: own ? { ...withoutInodes(fileSystem), ...own } : fileSystem };
    }),
  );
  return readings.filter((reading) => reading !== undefined);
}

function withoutInodes({ inodesUsed: _all, ...rest }: FileSystemStats): Omit<FileSystemStats, 'inodesUsed'> {
  return rest;
}

/** Undefined where the use of the whole file system is the volume's. */
async function ownUse(volume: V1Volume, folder: string, counted: number | undefined): Promise<{ readonly usedBytes: number; readonly inodesUsed?: number } | undefined> {
  if (counted !== undefined) return { usedBytes: counted };
  if (volume.configMap || volume.secret || volume.projected || volume.downwardAPI) {
    const { bytes, inodes } = await smallFolder(folder);
    return { usedBytes: bytes, inodesUsed: inodes };
  }
  return undefined;
}

function isEphemeral({ emptyDir, configMap, gitRepo }: V1Volume): boolean {
  return (emptyDir !== undefined && emptyDir.medium !== 'Memory') || configMap !== undefined || gitRepo !== undefined;
}

async function smallFolder(folder: string): Promise<{ readonly bytes: number; readonly inodes: number }> {
  let bytes = 0;
  let inodes = 0;
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined && inodes < MOST_FILES; path = waiting.pop()) {
    const info = await lstat(path).catch(() => undefined);
    if (!info) continue;
    inodes += 1;
    bytes += info.blocks * 512;
    if (info.isDirectory()) for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name));
  }
  return { bytes, inodes };
}
