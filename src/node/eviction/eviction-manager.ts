import type { V1Pod } from '../../api/generated/types.js';
import type { CancelTimer, Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { Rounds } from '../../base/rounds.js';
import { hasStorageLimit, storageViolation } from './local-storage.js';
import { evictionMessage } from './messages.js';
import { isCriticalPod, type PodUsage } from './pod-usage.js';
import { Pressure } from './pressure.js';
import { rankForEviction } from './ranking.js';
import { conditionOf, crossedThresholds, DEFAULT_THRESHOLDS, resourceOf, type Observations, type PressureCondition, type StarvedResource, type Threshold } from './signals.js';

/** The kubelet's period of looking, in milliseconds. */
const PERIOD = 10_000;
/** How long the end of an evicted pod is waited for before the next look. */
const PATIENCE = 30_000;

/** An eviction as a pod's worker carries it out. */
export interface Eviction {
  readonly message: string;
  /** The node is short of something: the pod tells so by its condition `DisruptionTarget`. */
  readonly disruption: boolean;
}

/** What the manager looks at and acts upon. */
export interface EvictionEnvironment {
  readonly clock: Clock;
  readonly log: Logger;
  /** Pods that run or may run here. */
  pods(): readonly V1Pod[];
  /** How much the node has left. */
  observe(): Promise<Observations>;
  usage(pod: V1Pod): Promise<PodUsage>;
  /** Ends a pod at once; resolves when nothing of it runs any more. */
  evict(pod: V1Pod, eviction: Eviction): Promise<void>;
  /** Frees disk without harm to any pod: dead containers and unused images. */
  reclaimDisk(): Promise<void>;
  /** The conditions of pressure have changed. */
  changed(): void;
  /** The node is about to reclaim a resource. */
  thresholdMet(resource: StarvedResource): void;
}

/** Keeps a node from running out of memory, disk or processes, and pods within their limits of storage, as the kubelet does: a look every ten seconds, at most one pod for the node's own sake each time. */
export class EvictionManager implements Component {
  readonly name = 'eviction';
  private readonly pressure = new Pressure();
  private readonly rounds: Rounds;

  constructor(
    private readonly environment: EvictionEnvironment,
    private readonly thresholds: readonly Threshold[] = DEFAULT_THRESHOLDS,
  ) {
    // Whether an eviction was enough is seen at once, once the pod is gone.
    this.rounds = new Rounds(environment.clock, async () => ((await this.look()).length > 0 ? 0 : PERIOD));
  }

  /** What the node is short of now, or was within the last five minutes. */
  get conditions(): readonly PressureCondition[] {
    return this.pressure.conditions;
  }

  start(): Promise<void> {
    this.rounds.start();
    return Promise.resolve();
  }

  /** Does not wait for an eviction under way: the pod's worker carries it out. */
  stop(): Promise<void> {
    void this.rounds.stop();
    return Promise.resolve();
  }

  /** One look. Resolves with the pods that were evicted. Never throws. */
  async look(): Promise<readonly V1Pod[]> {
    try {
      return await this.synchronize();
    } catch (error) {
      this.environment.log.error('eviction manager failed to look at the node', { error: errorMessage(error) });
      return [];
    }
  }

  private async synchronize(): Promise<readonly V1Pod[]> {
    const { environment } = this;
    const observations = await environment.observe();
    const crossed = crossedThresholds(this.thresholds, observations);
    const seen = new Set(crossed.map(({ signal }) => conditionOf(signal)));
    if (this.pressure.observe(seen, environment.clock.monotonic())) environment.changed();
    const violators = await this.evictViolators();
    const [worst] = crossed;
    if (violators.length > 0 || !worst) return violators;
    const resource = resourceOf(worst.signal);
    environment.log.warn('the node runs short of a resource', { resource, signal: worst.signal });
    environment.thresholdMet(resource);
    if (conditionOf(worst.signal) === 'DiskPressure') {
      await environment.reclaimDisk().catch((error: unknown) => environment.log.warn('unused data could not be removed', { error: errorMessage(error) }));
      if (crossedThresholds(this.thresholds, await environment.observe()).length === 0) return [];
    }
    return this.evictWorst(resource, crossed, observations);
  }

  /** Pods that keep more on the disk than they may, measured only where there is a limit. */
  private async evictViolators(): Promise<readonly V1Pod[]> {
    const evicted: V1Pod[] = [];
    for (const pod of this.environment.pods()) {
      if (!hasStorageLimit(pod) || isCriticalPod(pod)) continue;
      const usage = await this.usage(pod);
      const message = usage && storageViolation(pod, usage);
      if (message === undefined) continue;
      await this.evict(pod, { message, disruption: false });
      evicted.push(pod);
    }
    return evicted;
  }

  private async evictWorst(resource: StarvedResource, crossed: readonly Threshold[], observations: Observations): Promise<readonly V1Pod[]> {
    const pods = this.environment.pods();
    const usage = new Map<V1Pod, PodUsage | undefined>();
    for (const pod of pods) usage.set(pod, await this.usage(pod));
    const pod = rankForEviction(pods, (item) => usage.get(item), resource).find((item) => !isCriticalPod(item));
    if (!pod) {
      this.environment.log.warn('no pod can be evicted from the node', { resource });
      return [];
    }
    await this.evict(pod, { message: evictionMessage(pod, resource, usage.get(pod), crossed, observations), disruption: true });
    return [pod];
  }

  private async usage(pod: V1Pod): Promise<PodUsage | undefined> {
    return this.environment.usage(pod).catch((error: unknown) => {
      this.environment.log.debug('use of a pod is not known', { pod: pod.metadata?.name, error: errorMessage(error) });
      return undefined;
    });
  }

  private async evict(pod: V1Pod, eviction: Eviction): Promise<void> {
    const { clock, log } = this.environment;
    log.info('pod evicted', { pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, message: eviction.message });
    let cancel: CancelTimer = () => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = clock.setTimeout(resolve, PATIENCE, { unref: true });
    });
    await Promise.race([this.environment.evict(pod, eviction), patience]);
    cancel();
  }
}
