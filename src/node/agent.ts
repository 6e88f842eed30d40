import type { Registry as MetricsRegistry } from 'prom-client';
import type { V1Node, V1Pod, V1Service } from '../api/generated/types.js';
import { NODES, PODS, SERVICES } from '../api/resource-refs.js';
import type { Clock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { errorMessage } from '../base/errors.js';
import { noFailpoints, type Failpoints } from '../base/failpoint.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { Client, Informer, InformerFactory } from '../client/index.js';
import type { EventRecorder } from '../reconcile/index.js';
import { nodeAllocatable, type AgentFacts } from './nodes/node-object.js';
import { Heartbeats } from './nodes/heartbeats.js';
import { createNodeGuard, type NodeGuard } from './eviction/index.js';
import { NodeKeeper } from './nodes/node-keeper.js';
import { NetworkGate } from './nodes/network-gate.js';
import type { MakeNodeParts, NodeParts } from './parts.js';
import { nodeSpecs, type NodeAgentOptions, type NodeSpec } from './options.js';
import { podLogsFolder } from './pods/local-node.js';
import { PodEvents } from './pods/pod-events.js';
import { removeOrphans } from './pods/orphans.js';
import { PodManager } from './pods/pod-manager.js';
import { ProbeMetrics } from './probes/probe-metrics.js';
import { References } from './references/references.js';
import { ServiceEnvironment } from './references/service-environment.js';
import { simulatedVolumes } from './references/volumes.js';
import { createSimRuntime, SimWorld } from './runtime/sim/index.js';
import { AgentAuthorizer } from './server/authorization.js';
import { registerAgentMetrics, type CountedNode } from './server/agent-metrics.js';
import { AgentServer } from './server/agent-server.js';
import type { DirectoryEntry, DirectoryNode, PodDirectory } from './server/pod-directory.js';
import { StatusWriter } from './status/writer.js';

/** The outside world, given by the composition root. */
export interface NodeAgentEnvironment {
  /** May do what a node may: its own node, lease, pods and their statuses, single config maps and secrets, services, events. */
  readonly client: Client;
  /** Of the same identity. The agent starts it, and its owner stops it. */
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly recorder: EventRecorder;
  readonly failpoints?: Failpoints;
  /** Makes what a node consists of; default: it is simulated. */
  readonly parts?: MakeNodeParts;
}

/** A running node agent. */
export interface NodeAgent extends Component {
  readonly nodeNames: readonly string[];
  /** Port of its HTTPS server; 0 before the start. */
  readonly port: number;
  /**
   * Ends what runs of all pods, in the order of their priorities, each with its own grace period within the deadline. The pods stay in the API: the next
   * start runs them again. To be called before {@link Component.stop}.
   */
  endPods(deadlineMilliseconds: number): Promise<void>;
}

/** Above so many nodes normal events about pods and nodes are left out. */
const MANY_NODES = 50;
/** Nodes registered at the same time. */
const REGISTRATIONS = 16;

interface AgentNode {
  readonly spec: NodeSpec;
  readonly parts: NodeParts;
  readonly pods: PodManager;
  readonly keeper: NodeKeeper;
  readonly gate: NetworkGate;
  /** The agent's. */
  readonly version: string;
  /** Work beside the pods, started once they are known. */
  readonly components: readonly Component[];
  /** The range that the runtime was told; empty: none yet. */
  podCidr: string;
}

/** Runs nodes: one process, one watch, one server for all of them. Started it has registered its nodes; stopped, what runs in a real runtime goes on. */
export function createNodeAgent(options: NodeAgentOptions, environment: NodeAgentEnvironment): NodeAgent {
  return new Agent(options, environment);
}

class Agent implements NodeAgent, PodDirectory {
  readonly name = 'node';
  readonly nodeNames: readonly string[];
  readonly probeMetrics = new ProbeMetrics();
  port = 0;
  private readonly specs: readonly NodeSpec[];
  private readonly nodes = new Map<string, AgentNode>();
  private readonly statuses: StatusWriter;
  private readonly server: AgentServer;
  private readonly endings: (() => void)[] = [];
  private readonly stopping = new AbortController();
  private heartbeats: Heartbeats | undefined;
  private podInformer: Informer<V1Pod> | undefined;
  private nodeInformer: Informer<V1Node> | undefined;

  constructor(
    private readonly options: NodeAgentOptions,
    private readonly environment: NodeAgentEnvironment,
  ) {
    this.specs = nodeSpecs(options);
    this.nodeNames = this.specs.map((spec) => spec.name);
    const { client, clock, log, metrics } = environment;
    this.statuses = new StatusWriter({ client, clock, log });
    this.server = new AgentServer(options, { directory: this, authorizer: new AgentAuthorizer(client, clock), clock, log, metrics: () => metrics.metrics() });
  }

  async start(signal: AbortSignal): Promise<void> {
    const { informers } = this.environment;
    const abort = (): void => this.stopping.abort();
    signal.addEventListener('abort', abort, { once: true });
    this.endings.push(() => signal.removeEventListener('abort', abort));
    this.port = await this.server.listen();
    const [only] = this.specs;
    const alone = this.specs.length === 1;
    // A field selector can name one node, or leave out pods that have none.
    this.podInformer = informers.informer(PODS, { fieldSelector: alone ? `spec.nodeName=${only!.name}` : 'spec.nodeName!=' });
    this.nodeInformer = informers.informer(NODES, alone ? { fieldSelector: `metadata.name=${only!.name}` } : {});
    const services = informers.informer(SERVICES);
    await this.makeNodes(services);
    registerAgentMetrics(this.environment.metrics, new Map([...this.nodes].map(([name, { parts, pods }]): [string, CountedNode] => [name, { runtime: parts.runtime.containers, active: () => pods.active.length }])));
    informers.start();
    await this.registerNodes();
    if (this.stopping.signal.aborted) return;
    this.heartbeats = new Heartbeats(this.environment.clock, this.specs.length, (this.options.leaseRenewSeconds ?? 10) * 1000, (index) => {
      const name = this.nodeNames[index]!;
      void this.nodes.get(name)!.keeper.beat(this.nodeInformer!.get('', name));
    });
    this.heartbeats.start();
    await Promise.all([this.nodeInformer.whenSynced(this.stopping.signal), services.whenSynced(this.stopping.signal)]);
    this.watch(services);
    await this.podInformer.whenSynced(this.stopping.signal);
    if (!this.stopping.signal.aborted) this.takeUp();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.heartbeats?.stop();
    for (const end of this.endings.splice(0)) end();
    for (const node of this.nodes.values()) {
      node.pods.stop();
      node.gate.open();
      node.parts.volumes.stop();
    }
    this.statuses.stop();
    await this.server.close();
    for (const { parts, components } of this.nodes.values()) {
      await Promise.all(components.map((component) => component.stop(0)));
      await parts.runtime.containers.stop?.();
    }
  }

  async endPods(deadlineMilliseconds: number): Promise<void> {
    // Nothing new is begun, and no status of a pod that ends with its node is reported.
    this.statuses.stop();
    await Promise.all([...this.nodes.values()].map((node) => node.pods.endAll(deadlineMilliseconds)));
  }

  node(name: string): DirectoryNode | undefined {
    const own = this.nodes.get(name);
    if (!own) return undefined;
    const { parts, pods, version } = own;
    const { local } = parts;
    return {
      name, runtime: parts.runtime.containers, version, usage: parts.usage, machine: parts.machine,
      config: {
        address: this.options.bindAddress, port: this.port, maxPods: Number(pods.context.allocatable['pods'] ?? 0), leaseSeconds: 40, statusReportSeconds: this.options.statusReportSeconds ?? 300,
        ...(local ? { clusterDomain: local.clusterDomain, clusterDns: local.clusterDns, cgroupRoot: local.host.cgroup } : {}),
      },
    };
  }

  find(namespace: string, name: string): DirectoryEntry | undefined {
    const pod = this.podInformer?.get(namespace, name);
    return pod && this.entry(pod);
  }

  list(nodeName?: string): readonly DirectoryEntry[] {
    const entries: DirectoryEntry[] = [];
    for (const pod of this.podInformer?.list() ?? []) {
      const entry = nodeName === undefined || pod.spec?.nodeName === nodeName ? this.entry(pod) : undefined;
      if (entry) entries.push(entry);
    }
    return entries;
  }

  private entry(pod: V1Pod): DirectoryEntry | undefined {
    const node = this.nodes.get(pod.spec?.nodeName ?? '');
    return node && { pod, status: node.pods.status(pod.metadata?.uid ?? ''), node: node.pods.context };
  }

  private async makeNodes(services: Informer<V1Service>): Promise<void> {
    const { client, clock, random, log, recorder, failpoints = noFailpoints } = this.environment;
    const world = new SimWorld(clock, random, this.options.sim);
    const references = new References(client, clock);
    const serviceEnvironment = new ServiceEnvironment(services);
    this.endings.push(
      services.addHandler({
        add: (service) => serviceEnvironment.invalidate(service.metadata?.namespace ?? ''),
        update: (service) => serviceEnvironment.invalidate(service.metadata?.namespace ?? ''),
        delete: (service) => serviceEnvironment.invalidate(service.metadata?.namespace ?? ''),
      }),
    );
    const quiet = this.options.podEvents ? this.options.podEvents === 'warnings' : this.specs.length > MANY_NODES;
    const address = this.options.address ?? this.options.bindAddress;
    for (const spec of this.specs) {
      const parts: NodeParts = (await this.environment.parts?.(spec, { references })) ?? { runtime: createSimRuntime(world), volumes: simulatedVolumes(references) };
      const { runtime, volumes, machine, local } = parts;
      await runtime.containers.start?.();
      const version = await runtime.containers.version();
      let guard: NodeGuard | undefined;
      let present = machine;
      let allocatable = nodeAllocatable(spec, present);
      const readMachine = parts.readMachine && (async (): Promise<void> => {
        present = await parts.readMachine!();
        allocatable = nodeAllocatable(spec, present);
      });
      const facts: AgentFacts = { address, port: this.port, kubeletVersion: this.options.kubeletVersion ?? 'v1.36.0', runtime: version, images: machine ? runtime.images : undefined, pressure: () => guard?.conditions ?? [], get machine() { return present; } };
      const nodeRecorder = recorder.withComponent('kubelet', spec.name);
      const gate = new NetworkGate(clock, this.options.podCidrWaitMilliseconds ?? 3000);
      const pods = new PodManager(
        {
          nodeName: spec.name, hostIps: [address], runtime, runtimeName: version.runtimeName, events: new PodEvents(nodeRecorder, quiet),
          references, services: serviceEnvironment, volumes, local, pressure: () => guard?.conditions ?? [], probeMetrics: this.probeMetrics, statuses: this.statuses, clock, random, log, failpoints, networkReady: () => gate.whenOpen(), get allocatable() { return allocatable; },
        },
        () => this.nodeInformer?.get('', spec.name),
      );
      const keeper = new NodeKeeper(spec, runtime.containers, {
        client, clock, log, facts, recorder: this.specs.length > MANY_NODES ? undefined : nodeRecorder, statusReportMilliseconds: (this.options.statusReportSeconds ?? 300) * 1000, readMachine,
      });
      if (parts.usage && parts.store && local) {
        const warn = (reason: string, message: string): void => nodeRecorder.event(this.nodeInformer?.get('', spec.name) ?? { apiVersion: 'v1', kind: 'Node', metadata: { name: spec.name } }, 'Warning', reason, message);
        guard = createNodeGuard({
          usage: parts.usage, images: parts.store, runtime: runtime.containers, clock, log, pods, warn, logFolder: podLogsFolder(local),
          known: () => this.knownPods(),
          changed: () => void keeper.beat(this.nodeInformer?.get('', spec.name), true),
        });
      }
      this.nodes.set(spec.name, { spec, parts, pods, keeper, gate, version: facts.kubeletVersion, components: [...(parts.keepers ?? []), ...(guard?.components ?? [])], podCidr: '' });
    }
  }

  private async registerNodes(): Promise<void> {
    const waiting = [...this.nodes.values()];
    const register = async (): Promise<void> => {
      for (let node = waiting.shift(); node; node = waiting.shift()) {
        const registered = await node.keeper.register(this.stopping.signal);
        if (registered) this.onNode(registered);
      }
    };
    await Promise.all(Array.from({ length: REGISTRATIONS }, register));
  }

  /** Takes up pods, once nodes are known; from then on everything that happens to either is handed on. */
  private watch(services: Informer<V1Service>): void {
    this.endings.push(
      this.nodeInformer!.addHandler({ add: (node) => this.onNode(node), update: (node) => this.onNode(node) }),
      this.podInformer!.addHandler({
        add: (pod) => this.nodes.get(pod.spec?.nodeName ?? '')?.pods.put(pod),
        update: (pod) => this.nodes.get(pod.spec?.nodeName ?? '')?.pods.put(pod),
        delete: (pod) => this.nodes.get(pod.spec?.nodeName ?? '')?.pods.remove(pod),
      }),
    );
    this.environment.log.debug('node agent runs', { nodes: this.nodes.size, pods: this.podInformer!.size, services: services.size });
  }

  /** All pods of the API are known now: what belongs to none of them goes, and the nodes' own work begins. */
  private takeUp(): void {
    const known = this.knownPods();
    for (const { parts, pods, components } of this.nodes.values()) {
      if (!parts.machine) continue;
      void removeOrphans(pods.context, known);
      for (const keeper of components) void keeper.start(this.stopping.signal).catch((error: unknown) => this.environment.log.error('part of the node does not run', { part: keeper.name, error: errorMessage(error) }));
    }
  }

  private knownPods(): ReadonlySet<string> {
    return new Set(this.podInformer!.list().map((pod) => pod.metadata?.uid ?? ''));
  }

  private onNode(node: V1Node): void {
    const own = this.nodes.get(node.metadata?.name ?? '');
    const podCidr = node.spec?.podCIDR;
    if (!own || !podCidr || own.podCidr === podCidr) return;
    own.podCidr = podCidr;
    void own.parts.runtime.containers.updateRuntimeConfig({ podCidr }).then(
      () => {
        own.gate.open();
        // The network may have become ready by it: nobody should wait for the next heartbeat.
        if (own.parts.machine) void own.keeper.beat(this.nodeInformer?.get('', own.spec.name) ?? node, true);
      },
      (error: unknown) => {
        own.podCidr = '';
        this.environment.log.error('the range of addresses for pods cannot be used', { node: node.metadata?.name, podCidr, error: errorMessage(error) });
      },
    );
  }
}
