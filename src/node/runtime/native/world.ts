import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/log.js';
import type { Commands } from '../../../base/process/commands.js';
import type { Random } from '../../../base/random.js';
import type { NodeHost } from '../../host.js';
import type { ImageStore } from '../../images/image-store.js';
import type { PodNetwork } from '../../network/pod-network.js';
import type { Cgroups } from './cgroups/cgroups.js';
import type { EventHub } from './event-hub.js';
import type { NativePlaces } from './places.js';
import type { HostFacts } from './spec/host-facts.js';

/** Settings of the native runtime. */
export interface NativeRuntimeOptions {
  readonly host: NodeHost;
  /** Where the control groups are mounted. Default `/sys/fs/cgroup`. */
  readonly cgroupRoot?: string;
  /** Programs, by path or by name. Default: their names. */
  readonly programs?: { readonly runc?: string; readonly conmon?: string; readonly catatonit?: string };
  /** Most processes and threads of a pod; -1, the default: no limit. */
  readonly podPidsLimit?: number;
  /** Folder of seccomp profiles of type `Localhost`. Default: `seccomp` in the state folder. */
  readonly seccompFolder?: string;
}

/** What the native runtime works with. */
export interface NativeRuntimeParts {
  readonly commands: Commands;
  readonly images: ImageStore;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Paths of the programs. */
export interface Programs {
  readonly runc: string;
  readonly conmon: string;
  readonly catatonit: string;
}

/** What the parts of the native runtime share once it has started. */
export interface NativeWorld extends NativeRuntimeParts {
  readonly host: NodeHost;
  readonly places: NativePlaces;
  readonly programs: Programs;
  readonly cgroups: Cgroups;
  readonly facts: HostFacts;
  readonly events: EventHub;
  readonly podPidsLimit: number;
  readonly seccompFolder: string;
}

/** Control group of the monitors. */
export function monitorsGroup(host: NodeHost): string {
  return `${host.cgroup}/monitors`;
}
