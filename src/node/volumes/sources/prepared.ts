import type { KubeObject } from '../../../api/meta/object.js';
import type { ResourceRef } from '../../../api/resource-refs.js';
import type { V1Pod } from '../../../api/generated/types.js';
import type { Payload } from '../content/atomic-writer.js';
import type { MountRequest } from '../host/mounter.js';

/** Files that the agent writes, and what they are made of. */
export interface VolumeContent {
  readonly folder: string;
  /** Group of the files, when the pod has an fsGroup. */
  readonly gid: number | undefined;
  /** Objects whose changes change the files. */
  readonly sources: readonly { readonly ref: ResourceRef<KubeObject>; readonly name: string }[];
  /** The pod's own fields are among the files. */
  readonly showsPod: boolean;
  /** Collects the files as they should be now. Throws with a message fit for an event. `refreshAt`: they change at this time (milliseconds since the epoch) at the latest. */
  collect(pod: V1Pod): Promise<CollectedContent>;
}

/** Files, and until when they are right. */
export interface CollectedContent {
  readonly payload: Payload;
  readonly refreshAt: number | undefined;
}

/** A volume that is made once {@link mount} was done and {@link finish} called. */
export interface PreparedVolume {
  /** Where containers' mounts of it begin; empty for a block device. */
  readonly hostPath: string;
  /** Containers may never write to it. */
  readonly readonly: boolean;
  /** Absent: nothing is to be mounted, or it is already. */
  readonly mount?: MountRequest;
  readonly finish?: () => Promise<void>;
  readonly content?: VolumeContent;
  /** When its files have to be collected again, in milliseconds since the epoch. */
  readonly refreshAt?: number | undefined;
  /** An emptyDir on disk: its use counts. */
  readonly counted?: boolean;
  /** A missing `subPath` is not made in it. */
  readonly fixed?: boolean;
  /** Path of the block device. */
  readonly device?: string;
  /** Group that processes get because of it. */
  readonly supplementalGroup?: number;
}
