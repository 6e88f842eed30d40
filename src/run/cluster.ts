import { hostname } from 'node:os';
import type { Component } from '../base/component.js';
import { throwIfAborted } from '../base/abort.js';
import { sleep } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import type { Client, Kubeconfig } from '../client/index.js';
import { NODES } from '../api/resource-refs.js';
import { createApiServer, type ApiServer } from '../server/index.js';
import { electedComponent } from '../reconcile/index.js';
import type { Store } from '../storage/index.js';
import { clientAddress, hostPort } from './addresses.js';
import { loadAccess } from './access/access-options.js';
import { readAdmission } from './admission.js';
import type { RunEnvironment } from './environment.js';
import { InProcessIdentities } from './identities.js';
import { clientKubeconfig } from './kubeconfigs.js';
import { ensureNodeAgentRole } from './node-agent-role.js';
import type { ClusterSettings } from './options.js';
import { ensureDefaultStorageClass } from '../controllers/index.js';
import { prepareHost } from '../node/index.js';
import { ensureDnsRole } from './native/dns-role.js';
import { commandsOf } from './native/native-node.js';
import { makeClusterDns, makeServiceProxy } from './native/native-services.js';
import type { NativeSettings } from './native/native-settings.js';
import { makeControllers, makeNodeAgent, makeScheduler, nodeNames, type NodeKeys, type NodeRole } from './parts.js';
import { type Pki, type PkiStore } from './pki.js';
import type { ComponentState } from './run-state.js';
import { apiServerOptions, pkiFor } from './server-options.js';
import { describeFailingChecks } from './start-in-time.js';
import { Supervisor } from './supervisor.js';
import { whatHinders } from './what-hinders.js';

const NODE_POLL_MILLISECONDS = 10;

/** What a cluster stands on. */
export interface ClusterGround {
  readonly store: Store;
  readonly pki: PkiStore;
}

/** All roles of a cluster in this process. */
export class Cluster {
  private readonly supervisors: Supervisor[] = [];
  private identities: InProcessIdentities | undefined;
  private server: ApiServer | undefined;
  private pki: Pki | undefined;
  private nodeRole: NodeRole | undefined;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly settings: ClusterSettings,
    private readonly ground: ClusterGround,
    private readonly environment: RunEnvironment,
    /** Called when the state of a component changes. */
    private readonly onChange: () => void = () => undefined,
  ) {}

  /** URL of the API server, once it listens. */
  get url(): string {
    const { address } = this.server!;
    return `https://${hostPort(clientAddress(this.settings.server.bindAddress), address.port)}`;
  }

  get components(): readonly ComponentState[] {
    return this.supervisors.map((supervisor) => supervisor.status);
  }

  /** Names of its nodes. */
  get nodes(): readonly string[] {
    const { native, node } = this.settings;
    return native ? [native.nodeName] : nodeNames(node);
  }

  /** The administrator's kubeconfig. */
  get kubeconfig(): Kubeconfig {
    return clientKubeconfig(this.url, this.pki!.ca.certificate, this.pki!.admin);
  }

  /** An in-process client in `system:masters`. */
  get client(): Client {
    return this.identities!.admin;
  }

  /** Starts the API server, then the other roles together. `serving` is called as soon as the API answers. */
  async start(signal: AbortSignal, serving: () => void | Promise<void> = () => undefined): Promise<void> {
    const { settings, environment } = this;
    const { native } = settings;
    const [admission, access] = await Promise.all([readAdmission(settings.server), loadAccess(settings.server.access ?? {}, settings.server, environment.log)]);
    if (native) await prepareHost(native.host, native.addresses.hostAddress, commandsOf(environment));
    const pki = await pkiFor(settings.server, this.ground.pki, environment);
    this.pki = pki;
    const server = createApiServer(apiServerOptions(settings.server, pki, { admission, access }), { store: this.ground.store, ...environment, log: environment.log.child({ component: 'server' }) });
    this.server = server;
    await this.supervise('server', () => server);
    await server.ready;
    throwIfAborted(signal);
    this.identities = new InProcessIdentities(server);
    const identities = this.identities;
    await ensureNodeAgentRole(identities.admin);
    const controllerClients = { client: identities.controllerManager, clientFor: (name: string) => identities.serviceAccount(name) };
    await Promise.all([
      serving(),
      this.supervise('controllers', () => this.elected('kube-controller-manager', () => makeControllers(controllerClients, settings.controllers, { rootCa: pki.ca.certificate, signing: pki.ca, serviceAccountKey: pki.serviceAccountKey }, environment, native))),
      this.supervise('scheduler', () => this.elected('kube-scheduler', () => makeScheduler(identities.scheduler, environment))),
      ...(!native && settings.node.simulatedNodes > 0
        ? [this.supervise('node', () => makeNodeAgent(identities.nodeAgent, settings.node, { serving: pki.kubeletServing, clientCa: pki.ca.certificate }, environment))]
        : []),
      ...(native ? [this.startNative(native, identities, { serving: pki.kubeletServing, clientCa: pki.ca.certificate })] : []),
    ]);
    throwIfAborted(signal);
  }

  /** Which roles have not come up, and what hinders them as far as that is known: for a message. */
  async whyNotStarted(): Promise<string> {
    const waiting = this.components.filter(({ state }) => state !== 'running').map(({ name }) => name);
    const checks = this.identities ? [] : ((await this.server?.failingChecks()) ?? []);
    if (checks.length > 0) return describeFailingChecks(checks);
    const hindrance = this.identities && (await whatHinders(this.identities));
    return `${waiting.length === 0 ? 'the server' : waiting.join(', ')} ${waiting.length > 1 ? 'are' : 'is'} not up${hindrance === undefined ? '' : `; the API says: ${hindrance}`}`;
  }

  /** Resolves when every node is Ready; throws `KUBE_NODES_NOT_READY` after the time is up. */
  async waitForNodes(timeoutMilliseconds: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.environment;
    const wanted = new Set(this.nodes);
    const end = clock.monotonic() + timeoutMilliseconds;
    const client = this.client.resource(NODES);
    for (;;) {
      throwIfAborted(signal);
      const { items } = await client.list('');
      const ready = items.filter((node) => wanted.has(node.metadata!.name!) && node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'));
      if (ready.length === wanted.size) return;
      if (clock.monotonic() > end) throw new KubeError('KUBE_NODES_NOT_READY', `only ${ready.length} of ${wanted.size} nodes are ready after ${timeoutMilliseconds / 1000} s`);
      await sleep(clock, NODE_POLL_MILLISECONDS, signal);
    }
  }

  /** Stops the roles in reverse order. Idempotent. The store is the caller's. */
  stop(deadlineMilliseconds: number): Promise<void> {
    this.stopped ??= this.stopAll(deadlineMilliseconds);
    return this.stopped;
  }

  /** Ends the native containers of all pods, in order; the pods stay in the API, and the next start runs them again. To be called before {@link stop}. */
  async endPods(deadlineMilliseconds: number): Promise<void> {
    await this.nodeRole?.endPods(deadlineMilliseconds);
  }

  /** The node of this host, the proxy and DNS that its pods need, and the storage class that their claims use. */
  private async startNative(native: NativeSettings, identities: InProcessIdentities, keys: NodeKeys): Promise<void> {
    const { settings, environment } = this;
    await ensureDnsRole(identities.admin);
    await Promise.all([
      this.supervise('node', () => (this.nodeRole = makeNodeAgent(identities.node(native.nodeName), settings.node, keys, environment, native))),
      this.supervise('proxy', () => makeServiceProxy(identities.serviceProxy, native, environment)),
      this.supervise('dns', () => makeClusterDns(identities.clusterDns, settings.node.clusterDomain, native, environment)),
      ensureDefaultStorageClass(identities.admin),
    ]);
  }

  private async stopAll(deadlineMilliseconds: number): Promise<void> {
    const [server, ...roles] = this.supervisors;
    // The roles depend on the server only, not on each other.
    await Promise.all(roles.map((role) => role.stop(deadlineMilliseconds)));
    await this.identities?.close();
    await server?.stop(deadlineMilliseconds);
  }

  /** Other servers on the same etcd have these roles, too: only the one that holds the lease works. */
  private elected(lease: string, make: () => Component): Component {
    if (!this.settings.server.etcd) return make();
    const { clock, random, log } = this.environment;
    return electedComponent(lease, { client: this.client, clock, random, log, name: lease, identity: `${hostname()}_${random.uuid()}` }, make);
  }

  private async supervise(name: string, make: () => Component): Promise<void> {
    const supervisor = new Supervisor({ name, make }, this.environment.clock, this.environment.log, this.onChange);
    this.supervisors.push(supervisor);
    await supervisor.start();
  }
}
