import type { V1Lease, V1Node } from '../../api/generated/types.js';
import { LEASES, NODES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Client } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import type { PressureCondition } from '../eviction/index.js';
import type { NodeSpec } from '../options.js';
import type { Image, RuntimeService, RuntimeStatus } from '../runtime/index.js';
import { microTimestamp } from '../../api/meta/timestamp.js';
import { nodeAllocatable, nodeLabels, nodeObject, nodeStatus, pressureEvent, type AgentFacts } from './node-object.js';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** Upstream looks at the machine every five minutes, in milliseconds. */
const MACHINE_PERIOD = 5 * 60_000;
const PRESSURES: readonly PressureCondition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface NodeKeeperContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly facts: AgentFacts;
  /** Absent: no events about the node. */
  readonly recorder?: EventRecorder | undefined;
  readonly statusReportMilliseconds: number;
  /** Looks again at what the machine has; {@link AgentFacts.machine} tells it from then on. Absent: it never changes. */
  readonly readMachine?: (() => Promise<void>) | undefined;
}

/** Keeps one node known to the API: registration, lease, status. */
export class NodeKeeper {
  private busy = false;
  /** Somebody asked for a beat while one was under way. */
  private again = false;
  private pressureReported: readonly PressureCondition[] = [];
  private reportedAt = -Infinity;
  private wasReady: boolean | undefined;
  private imagesReported = '';
  private capacityReported = '';
  private machineReadAt: number;

  constructor(
    readonly spec: NodeSpec,
    private readonly runtime: RuntimeService,
    private readonly context: NodeKeeperContext,
  ) {
    this.machineReadAt = context.clock.monotonic();
  }

  /** Makes the node, or takes over the one of its name. Tries until it succeeds or `signal` aborts. */
  async register(signal: AbortSignal): Promise<V1Node | undefined> {
    for (let wait = 100; !signal.aborted; wait = Math.min(wait * 2, 7000)) {
      try {
        const node = await this.registerOnce();
        await this.renewLease(node);
        return node;
      } catch (error) {
        this.context.log.warn('node not registered; trying again', { node: this.spec.name, error: errorMessage(error) });
        await sleep(this.context.clock, wait, signal);
      }
    }
    return undefined;
  }

  /** Renews the lease, and reports the status when it changed or was not reported for long. Never throws. Does nothing while an earlier call is under way, unless there is `news`: then there is one more after that. */
  async beat(node: V1Node | undefined, news = false): Promise<void> {
    if (this.busy) {
      this.again ||= news;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      await this.beatOnce(node);
    } while (this.again);
    this.busy = false;
  }

  private async beatOnce(node: V1Node | undefined): Promise<void> {
    try {
      await this.renewLease(node);
      const runtime = await this.runtime.status();
      await this.lookAtMachine();
      const due = this.context.clock.monotonic() - this.reportedAt >= this.context.statusReportMilliseconds;
      // Which images are there is told soon, since the scheduler prefers nodes that have them.
      const images = await this.images();
      if (node && (due || this.pressure.join() !== this.pressureReported.join() || isReady(runtime) !== this.wasReady || this.capacity !== this.capacityReported || imageKey(images) !== this.imagesReported)) await this.reportStatus(node, runtime, images);
    } catch (error) {
      this.context.log.warn('node heartbeat failed', { node: this.spec.name, error: errorMessage(error) });
    }
  }

  private async registerOnce(): Promise<V1Node> {
    const { client, facts, clock } = this.context;
    const nodes = client.resource(NODES);
    const [known, images] = await Promise.all([this.runtime.status(), this.images()]);
    let runtime = known;
    let node: V1Node;
    try {
      node = await nodes.create(nodeObject(this.spec, facts, runtime, images, clock.now()));
      this.reported(runtime, images);
    } catch (error) {
      if (!StatusError.is(error, 'AlreadyExists')) throw error;
      node = await nodes.get('', this.spec.name);
      const labels = nodeLabels(this.spec);
      const missing = Object.entries(labels).filter(([key, value]) => node.metadata?.labels?.[key] !== value);
      if (missing.length > 0) node = await nodes.patch('', this.spec.name, 'strategic', { metadata: { labels: Object.fromEntries(missing) } });
      // A node that was here before has its range of addresses. Were it not ready until the range is handed on, all of its pods would leave their services for a moment. Who hands it on tells of failures.
      if (node.spec?.podCIDR) await this.runtime.updateRuntimeConfig({ podCidr: node.spec.podCIDR }).catch(() => undefined);
      runtime = await this.runtime.status();
      node = await this.reportStatus(node, runtime, images);
    }
    this.event(node, 'Starting', 'Starting kubelet.');
    if (facts.machine) for (const type of PRESSURES) this.pressureEvent(node, type, this.pressure.includes(type));
    if (isReady(runtime)) this.event(node, 'NodeReady', `Node ${this.spec.name} status is now: NodeReady`);
    return node;
  }

  private async reportStatus(node: V1Node, runtime: RuntimeStatus, images: readonly Image[]): Promise<V1Node> {
    const { client, facts, clock } = this.context;
    const status = nodeStatus(this.spec, facts, runtime, images, node, clock.now());
    const before = this.wasReady;
    const [pressedBefore, pressed] = [this.pressureReported, this.pressure];
    const written = await client.resource(NODES).patch('', this.spec.name, 'strategic', { status: { ...status, addresses: [{ $patch: 'replace' }, ...(status.addresses ?? [])] } }, 'status');
    this.reported(runtime, images);
    this.pressureReported = pressed;
    for (const type of PRESSURES) if (pressed.includes(type) !== pressedBefore.includes(type)) this.pressureEvent(node, type, pressed.includes(type));
    if (before !== undefined && before !== this.wasReady) {
      const reason = this.wasReady ? 'NodeReady' : 'NodeNotReady';
      this.event(node, reason, `Node ${this.spec.name} status is now: ${reason}`);
    }
    return written;
  }

  private get pressure(): readonly PressureCondition[] {
    return this.context.facts.pressure?.() ?? [];
  }

  private pressureEvent(node: V1Node, type: PressureCondition, under: boolean): void {
    const reason = pressureEvent(type, under);
    this.event(node, reason, `Node ${this.spec.name} status is now: ${reason}`);
  }

  private get capacity(): string {
    return JSON.stringify(nodeAllocatable(this.spec, this.context.facts.machine));
  }

  private async lookAtMachine(): Promise<void> {
    const now = this.context.clock.monotonic();
    if (!this.context.readMachine || now - this.machineReadAt < MACHINE_PERIOD) return;
    this.machineReadAt = now;
    await this.context.readMachine();
  }

  private async images(): Promise<readonly Image[]> {
    return (await this.context.facts.images?.listImages()) ?? [];
  }

  private reported(runtime: RuntimeStatus, images: readonly Image[]): void {
    this.capacityReported = this.capacity;
    this.imagesReported = imageKey(images);
    this.reportedAt = this.context.clock.monotonic();
    this.wasReady = isReady(runtime);
  }

  private async renewLease(node: V1Node | undefined): Promise<void> {
    const leases = this.context.client.resource(LEASES);
    const renewTime = microTimestamp(this.context.clock.now());
    try {
      await leases.patch(LEASE_NAMESPACE, this.spec.name, 'merge', { spec: { renewTime } });
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
      await leases.create(this.newLease(node, renewTime));
    }
  }

  private newLease(node: V1Node | undefined, renewTime: string): V1Lease {
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: this.spec.name,
        namespace: LEASE_NAMESPACE,
        ...(node?.metadata?.uid ? { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: this.spec.name, uid: node.metadata.uid }] } : {}),
      },
      spec: { holderIdentity: this.spec.name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    };
  }

  private event(node: V1Node, reason: string, message: string): void {
    this.context.recorder?.event({ ...node, apiVersion: 'v1', kind: 'Node' }, 'Normal', reason, message);
  }
}

function imageKey(images: readonly Image[]): string {
  return images.map((image) => image.ref + image.names.join()).join();
}

function isReady(runtime: RuntimeStatus): boolean {
  return runtime.runtimeReady && runtime.networkReady;
}
