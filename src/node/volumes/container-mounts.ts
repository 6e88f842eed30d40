import type { V1Container, V1VolumeMount } from '../../api/generated/types.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { ConfigError } from '../references/environment.js';
import type { Mount } from '../runtime/index.js';
import type { Mounter } from './host/mounter.js';
import type { PodPaths } from './host/pod-paths.js';
import { bindSubPaths, type SubPath } from './host/sub-paths.js';
import type { HostEntry, ReadyVolume } from './host-entry.js';
import type { ContainerDevices } from './pod-volumes.js';
import { subPathOf } from './sub-path-expression.js';

const PROPAGATION: Readonly<Record<string, Mount['propagation']>> = { None: 'private', HostToContainer: 'host-to-container', Bidirectional: 'bidirectional' };

/** What a container sees of its pod's volumes. */
export class ContainerMounts {
  constructor(
    private readonly paths: PodPaths,
    private readonly mounter: Mounter,
    private readonly log: Logger,
  ) {}

  /** In the order of the container's spec. Throws a {@link ConfigError}. */
  async of(entry: HostEntry, container: V1Container, environment: ReadonlyMap<string, string>): Promise<readonly Mount[]> {
    const mounts: Mount[] = [];
    const subPaths: SubPath[] = [];
    const names: string[] = [];
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      const volume = this.volume(entry, container, mount);
      const path = subPathOf(mount, environment);
      let hostPath = volume.hostPath;
      if (path !== '') {
        const target = `${this.paths.subPaths(entry.pod.metadata?.uid ?? '', mount.name, container.name)}/${index}`;
        subPaths.push({ volumePath: volume.hostPath, path, target, create: volume.fixed !== true });
        names.push(mount.name);
        hostPath = target;
      }
      mounts.push(mountOf(mount, hostPath, volume.readonly));
    }
    if (subPaths.length > 0) {
      const failure = await bindSubPaths(this.mounter, subPaths);
      if (failure) {
        const what = failure.while === 'create' ? 'create subPath directory' : 'prepare subPath';
        this.log.warn('a subPath could not be made', { pod: entry.pod.metadata?.name, namespace: entry.pod.metadata?.namespace, container: container.name, error: errorMessage(failure.error) });
        throw new ConfigError(`failed to ${what} for volumeMount "${names[failure.index]}" of container "${container.name}"`);
      }
    }
    return mounts;
  }

  /** Block devices. Throws a {@link ConfigError}. */
  devices(entry: HostEntry | undefined, container: V1Container): ContainerDevices {
    return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
      const device = entry?.volumes.get(name)?.device;
      if (device === undefined) throw new ConfigError(`cannot find volume "${name}" to pass into container "${container.name}"`);
      return { hostPath: device, containerPath: devicePath };
    });
  }

  private volume(entry: HostEntry, container: V1Container, mount: V1VolumeMount): ReadyVolume {
    const volume = entry.volumes.get(mount.name);
    if (!volume || entry.gone) throw new ConfigError(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
    return volume;
  }
}

function mountOf(mount: V1VolumeMount, hostPath: string, mustBeReadonly: boolean): Mount {
  const readonly = mount.readOnly === true || mustBeReadonly;
  const recursive = mount.readOnly === true && (mount.recursiveReadOnly === 'Enabled' || mount.recursiveReadOnly === 'IfPossible');
  return {
    containerPath: mount.mountPath.startsWith('/') ? mount.mountPath : `/${mount.mountPath}`,
    hostPath,
    readonly,
    ...(recursive ? { recursiveReadOnly: true } : {}),
    propagation: PROPAGATION[mount.mountPropagation ?? 'None'] ?? 'private',
  };
}
