import type { Clock } from '../../base/clock.js';
import type { Failpoints } from '../../base/failpoint.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { PressureCondition } from '../eviction/index.js';
import type { References } from '../references/references.js';
import type { ServiceEnvironment } from '../references/service-environment.js';
import type { ProbeMetrics } from '../probes/probe-metrics.js';
import type { NodeRuntime } from '../runtime/index.js';
import type { StatusWriter } from '../status/writer.js';
import type { PodVolumes } from '../volumes/pod-volumes.js';
import type { LocalNode } from './local-node.js';
import type { PodEvents } from './pod-events.js';

/** What the pods of one node share. */
export interface NodeContext {
  readonly nodeName: string;
  /** The node's own addresses; primary first. */
  readonly hostIps: readonly string[];
  /** What pods may take, as quantities. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly runtime: NodeRuntime;
  /** Prefix of container ids: `sim`. */
  readonly runtimeName: string;
  readonly events: PodEvents;
  readonly references: References;
  readonly services: ServiceEnvironment;
  readonly volumes: PodVolumes;
  readonly statuses: StatusWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly failpoints: Failpoints;
  /** Counts probes; absent: nobody does. */
  readonly probeMetrics?: ProbeMetrics;
  /** What the node is short of; absent: never of anything. */
  readonly pressure?: () => readonly PressureCondition[];
  /** Absent on simulated nodes. */
  readonly local?: LocalNode | undefined;
  /** Resolves once pods can get addresses: the node's range is known, or it was waited for long enough. */
  networkReady(): Promise<void>;
}
