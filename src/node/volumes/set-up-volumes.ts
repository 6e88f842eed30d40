import type { V1Pod, V1Volume } from '../../api/generated/types.js';
import { errorMessage } from '../../base/errors.js';
import { allContainers } from '../pods/container-kind.js';
import type { Mounter } from './host/mounter.js';
import type { HostEntry, ReadyVolume } from './host-entry.js';
import { ClaimError, EventError } from './sources/persistent-volume.js';
import type { PreparedVolume } from './sources/prepared.js';
import { prepareVolume } from './sources/prepare-volume.js';
import type { SourceContext, SourceServices } from './sources/source-context.js';
import { setUpFailed, VolumeError } from './volume-error.js';

export interface SetUpEnvironment {
  readonly services: SourceServices;
  readonly mounter: Mounter;
  /** A volume is there from now on. */
  readonly ready: (volume: ReadyVolume) => void;
}

/** Makes the volumes of a pod that are not there yet: all at the same time, their mounts by one process. Each that fails leaves the others alone. */
export async function setUpVolumes(entry: HostEntry, pod: V1Pod, environment: SetUpEnvironment): Promise<void> {
  if (missing(entry, pod).length === 0) return;
  await entry.serialize(async () => {
    const volumes = entry.gone ? [] : missing(entry, pod);
    if (volumes.length === 0) return;
    const failures = new Map<string, unknown>();
    const prepared = await prepareAll(volumes, contextOf(pod, environment.services), failures);
    const toMount = [...prepared].filter(([, volume]) => volume.mount);
    const errors = await environment.mounter.mount(toMount.map(([, volume]) => volume.mount!));
    toMount.forEach(([name], index) => errors[index] && failures.set(name, errors[index]));
    await Promise.all([...prepared].map(async ([name, volume]) => {
      if (failures.has(name)) return;
      try {
        await volume.finish?.();
      } catch (error) {
        failures.set(name, error);
        return;
      }
      const { mount: _mount, finish: _finish, ...rest } = volume;
      const ready: ReadyVolume = { ...rest, releases: [], cancelRefresh: undefined, stale: false };
      entry.volumes.set(name, ready);
      if (!entry.gone) environment.ready(ready);
    }));
    if (failures.size > 0) throw new VolumeError(messages(failures));
  });
}

/** Volumes that a container uses; others are never made. */
function missing(entry: HostEntry, pod: V1Pod): V1Volume[] {
  const all = pod.spec?.volumes ?? [];
  if (all.length === entry.volumes.size) return [];
  const used = new Set<string>();
  for (const container of allContainers(pod)) {
    for (const { name } of container.volumeMounts ?? []) used.add(name);
    for (const { name } of container.volumeDevices ?? []) used.add(name);
  }
  return all.filter((volume) => used.has(volume.name) && !entry.volumes.has(volume.name));
}

function contextOf(pod: V1Pod, services: SourceServices): Omit<SourceContext, 'volume'> {
  return { ...services, pod, uid: pod.metadata?.uid ?? '', fsGroup: pod.spec?.securityContext?.fsGroup, fsUser: fsUser(pod) };
}

/** The user of all containers of the pod; undefined when they have several, or one leaves it to its image. */
function fsUser(pod: V1Pod): number | undefined {
  const users = new Set<number | undefined>();
  for (const container of allContainers(pod)) users.add(container.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser);
  return users.size === 1 ? [...users][0] : undefined;
}

async function prepareAll(volumes: readonly V1Volume[], context: Omit<SourceContext, 'volume'>, failures: Map<string, unknown>): Promise<Map<string, PreparedVolume>> {
  const prepared = new Map<string, PreparedVolume>();
  await Promise.all(volumes.map(async (volume) => {
    try {
      prepared.set(volume.name, await prepareVolume({ ...context, volume }));
    } catch (error) {
      failures.set(volume.name, error);
    }
  }));
  return prepared;
}

/** One message per volume, but one for all claims together. */
function messages(failures: ReadonlyMap<string, unknown>): string[] {
  const claims = [...failures].filter(([, error]) => error instanceof ClaimError);
  const result: string[] = [];
  for (const [name, error] of failures) {
    if (error instanceof ClaimError) continue;
    result.push(error instanceof EventError ? error.message : setUpFailed(name, errorMessage(error)));
  }
  if (claims.length > 0) {
    const unmounted = [...failures.keys()].sort().join(' ');
    const unprocessed = claims.map(([name]) => name).sort().join(' ');
    result.push(`Unable to attach or mount volumes: unmounted volumes=[${unmounted}], unattached volumes=[], failed to process volumes=[${unprocessed}]: ${claims.map(([, error]) => errorMessage(error)).join('; ')}`);
  }
  return result;
}
