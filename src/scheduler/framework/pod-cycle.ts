import type { V1Pod } from '../../api/generated/types.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { NodeFilter } from './plugin.js';
import type { Profile } from './profile.js';

/** One attempt at one pod: what its stages hand on to each other. */
export interface PodCycle {
  readonly profile: Profile;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** The filters that have something to say about this pod, by plugin. */
  readonly filters: Map<string, NodeFilter>;
  /** Pods that a plugin wants to have tried again at once. */
  readonly activate: V1Pod[];
}
