import { posix } from 'node:path';
import type { V1Pod } from '../../../api/generated/types.js';
import { allContainers } from '../../pods/container-kind.js';

/**
 * Folders that must be in a volume because containers mount other volumes there, relative to its root: containers cannot make them in a volume that is
 * read-only. Throws for a mount path that leads out.
 */
export function nestedMountFolders(pod: V1Pod, volume: string): string[] {
  const result = new Set<string>();
  for (const container of allContainers(pod)) {
    const paths = (container.volumeMounts ?? []).map((mount) => posix.normalize(mount.mountPath)).sort();
    for (const mount of container.volumeMounts ?? []) {
      if (mount.name !== volume) continue;
      const own = posix.normalize(mount.mountPath).replace(/\/+$/, '');
      if (own.startsWith('..')) throw new Error(`invalid container mount point ${own}`);
      const found: string[] = [];
      for (const path of paths) {
        if (!path.startsWith(`${own}/`) || found.some((outer) => path.startsWith(`${outer}/`))) continue;
        found.push(path.replace(/\/+$/, ''));
        result.add(path.slice(own.length + 1).replace(/\/+$/, ''));
      }
    }
  }
  result.delete('');
  return [...result];
}
