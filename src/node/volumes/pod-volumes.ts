import type { V1Container, V1Pod } from '../../api/generated/types.js';
import type { Mount } from '../runtime/index.js';

/** Sets up the volumes of pods on a node and keeps their content up to date. All calls may run at the same time for different pods. */
export interface PodVolumes {
  /** Makes every volume of a pod. Idempotent, and cheap when all are there. Throws a `VolumeError`, whose message is fit for a `FailedMount` event. */
  setUp(pod: V1Pod): Promise<void>;
  /** The mounts of one container, `subPath` and `subPathExpr` resolved with its environment. Throws an error fit for `CreateContainerConfigError`. */
  containerMounts(pod: V1Pod, container: V1Container, environment: ReadonlyMap<string, string>): Promise<readonly Mount[]>;
  /** Unmounts and removes the volumes of a pod of which nothing runs any more; data of persistent volumes stay. Idempotent. */
  tearDown(podUid: string): Promise<void>;
  /** Removes what is left of pods that are not among `known`. */
  collect(known: ReadonlySet<string>): Promise<void>;
  /** Bytes that the pod's emptyDir volumes take on disk, by name of the volume. */
  usage(podUid: string): Promise<ReadonlyMap<string, number>>;
  stop(): void;
}
