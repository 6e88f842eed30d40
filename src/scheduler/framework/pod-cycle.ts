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
  /** Plugins that were asked for a filter. */
  readonly prepared: Set<string>;
}
