import type { V1Container, V1Pod } from '../../api/generated/types.js';
import type { ContainerConfig, Mount } from '../runtime/index.js';

/** Block devices of a container; a field of its configuration. */
export type ContainerDevices = NonNullable<ContainerConfig['devices']>;

/** Sets up the volumes of pods on a node and keeps their content up to date. All calls may run at the same time for different pods. */
export interface PodVolumes {
  /** Makes every volume that a container of the pod uses. Idempotent, and cheap when all are there. Throws a `VolumeError`, whose messages are fit for `FailedMount` events. */
  setUp(pod: V1Pod): Promise<void>;
  /** Takes up the volumes of a pod that runs already, maybe since an earlier process, so that their content follows again. Cheap when nothing is to do; never throws. */
  adopt(pod: V1Pod): Promise<void>;
  /** The pod's object changed: files made of its labels, annotations and resources follow. Nothing happens for a pod that was not set up. */
  follow(pod: V1Pod): void;
  /** The mounts of one container, `subPath` and `subPathExpr` resolved with its environment. Throws a `ConfigError`, fit for `CreateContainerConfigError`. */
  containerMounts(pod: V1Pod, container: V1Container, environment: ReadonlyMap<string, string>): Promise<readonly Mount[]>;
  /** The block devices of one container (`volumeDevices`). Throws a `ConfigError`. */
  containerDevices(pod: V1Pod, container: V1Container): ContainerDevices;
  /** Groups that the pod's processes get because of its persistent volumes (annotation `pv.beta.kubernetes.io/gid`). */
  supplementalGroups(podUid: string): readonly number[];
  /** Unmounts and removes the volumes of a pod of which nothing runs any more; data of persistent volumes stay. Idempotent. */
  tearDown(podUid: string): Promise<void>;
  /** Removes what is left of pods that are not among `known`. */
  collect(known: ReadonlySet<string>): Promise<void>;
  /** Bytes that the pod's emptyDir volumes take on disk, by name of the volume. Measured at most every ten seconds. */
  usage(podUid: string): Promise<ReadonlyMap<string, number>>;
  /** The folders of the pod's volumes on this host by name, for their use; block devices have none. Empty where volumes pretend. */
  folders(podUid: string): ReadonlyMap<string, string>;
  /** Ends watches and timers; what is mounted stays. */
  stop(): void;
}
