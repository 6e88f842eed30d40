import type { V1Pod } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import type { Logger } from '../../base/log.js';
import type { OpenImageStore } from '../images/index.js';
import type { RuntimeService } from '../runtime/index.js';
import type { NodeUsage } from '../server/stats/index.js';
import { ContainerCollector } from './container-collector.js';
import { EvictionManager, type Eviction } from './eviction-manager.js';
import { ImageCollector } from './image-collector.js';
import { observations, podUsage } from './observe.js';
import type { PressureCondition } from './signals.js';

/** What guards a node against running short. */
export interface NodeGuard {
  readonly conditions: readonly PressureCondition[];
  /** To be started once the node's pods are known. */
  readonly components: readonly Component[];
}

/** What the guard of a node works with. */
export interface NodeGuardOptions {
  readonly usage: NodeUsage;
  readonly images: Pick<OpenImageStore, 'collect'>;
  readonly runtime: RuntimeService;
  readonly logFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: {
    readonly active: readonly V1Pod[];
    readonly finished: readonly V1Pod[];
    evict(pod: V1Pod, eviction: Eviction): Promise<void>;
  };
  /** Uids of the pods that the API has. */
  known(): ReadonlySet<string>;
  /** A warning about the node. */
  warn(reason: string, message: string): void;
  /** What the node is short of has changed. */
  changed(): void;
}

/** Puts together eviction and the collection of images and dead containers. */
export function createNodeGuard(options: NodeGuardOptions): NodeGuard {
  const { usage, images, runtime, clock, log, pods, warn } = options;
  const imageCollector = new ImageCollector({ images, clock, log, warn, capacity: async () => (await usage.disk()).capacityBytes });
  const containers = new ContainerCollector({
    runtime, clock, log, warn, logFolder: options.logFolder, known: () => options.known(), finished: () => new Set(pods.finished.map(({ metadata }) => metadata?.uid ?? '')),
  });
  const eviction = new EvictionManager({
    clock, log,
    pods: () => pods.active,
    observe: async () => {
      const [machine, disk] = await Promise.all([usage.machine(), usage.disk()]);
      return observations(machine.stats, disk);
    },
    usage: async (pod) => podUsage(await usage.pod(pod)),
    evict: (pod, what) => pods.evict(pod, what),
    reclaimDisk: async () => {
      await containers.collect(true);
      // All that are not too young.
      await images.collect({ highPercent: 0, lowPercent: 0 });
    },
    changed: () => options.changed(),
    thresholdMet: (resource) => warn('EvictionThresholdMet', `Attempting to reclaim ${resource}`),
  });
  return {
    get conditions() {
      return eviction.conditions;
    },
    components: [eviction, imageCollector, containers],
  };
}
