import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Component } from '../base/component.js';
import { startBroker } from '../base/process/broker.js';
import type { Commands } from '../base/process/commands.js';
import { sleep } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { writeAtomically } from '../base/files.js';
import { createWinstonLog, type LogLevel } from '../base/log-winston.js';
import { pemBlocks } from '../base/tls/pem.js';
import { connectionFromKubeconfig, createClient, HttpTransport, readKubeconfigFile, type Client, type HttpConnection } from '../client/index.js';
import { electedComponent } from '../reconcile/index.js';
import { createApiServer } from '../server/index.js';
import { clientAddress, hostPort } from './addresses.js';
import { loadAccess } from './access/access-options.js';
import { readAdmission } from './admission.js';
import type { DataDirectory } from './data-directory.js';
import { systemEnvironment, type RunEnvironment } from './environment.js';
import { clientKubeconfig } from './kubeconfigs.js';
import { renderConfig } from './merge-kubeconfig.js';
import { ensureNodeAgentRole, NODE_AGENT } from './node-agent-role.js';
import { openStore } from './open-store.js';
import type { ControllersSettings, NodeSettings, ServerSettings } from './options.js';
import { prepareHost } from '../node/index.js';
import { chooseRuntime } from './native/choose-runtime.js';
import { ensureDnsRole } from './native/dns-role.js';
import { makeClusterDns, makeServiceProxy } from './native/native-services.js';
import { nativeSettings, type NativeSettings, type WantedRanges } from './native/native-settings.js';
import { makeControllers, makeNodeAgent, makeScheduler, nodeNames, type NodeRole } from './parts.js';
import { filePkiStore, type Pki } from './pki.js';
import { howToEndPods } from './kept-pods.js';
import { noteRole, type RoleProcess } from './role-processes.js';
import { explainListenError } from './run-all.js';
import { claimDirectory, removeRunState, writeRunState, type RunState } from './run-state.js';
import { apiServerOptions, pkiFor } from './server-options.js';
import { ServiceAccountClients } from './service-account-clients.js';
import { describeFailingChecks, startInTime } from './start-in-time.js';
import { readStopRequest } from './stop-request.js';
import { Supervisor } from './supervisor.js';
import { VERSION } from './version.js';
import { throwIfAborted, whenAborted } from '../base/abort.js';

/** What the roles that run alone have in common. */
export interface RoleRunOptions {
  /** Longest time to wait for the server: the own one, or the one that the role needs. */
  readonly readyTimeoutMilliseconds: number;
  readonly directory: DataDirectory;
  /** How to reach the API server; default: the file that `kube server` left in the data directory for this role. */
  readonly kubeconfig?: string;
  readonly leaderElect: boolean;
  readonly logLevel: string;
  readonly interrupted: AbortSignal;
  readonly ready: (document: RoleReadyDocument) => void;
}

/** The line that a role prints when it runs. */
export interface RoleReadyDocument {
  readonly event: 'ready';
  readonly component: string;
  readonly pid: number;
  readonly server?: string;
  readonly kubeconfig?: string;
  readonly dataDir?: string;
  readonly nodes?: readonly string[];
  readonly version: string;
}

/** Upstream's names of the roles, under which their writes stand in managed fields. */
const USER_AGENTS: Readonly<Record<string, string>> = { controllers: 'kube-controller-manager', node: 'kubelet' };
const ADMIN = { name: 'kubernetes-admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };
const STOP_MILLISECONDS = 10_000;
/** Exit code of what was interrupted before it was ready, as of `kube run all`. */
const INTERRUPTED = 130;
const CONNECT_PAUSE_MILLISECONDS = 100;

/** `kube server`: the API server alone. It leaves kubeconfigs for the other roles in the data directory. */
export async function runServerRole(settings: ServerSettings, options: RoleRunOptions): Promise<number> {
  const { directory } = options;
  await directory.prepare();
  const environment = systemEnvironment(createWinstonLog({ level: options.logLevel as LogLevel }));
  const state = await claimDirectory(directory);
  try {
    return await serve(settings, options, state, environment);
  } catch (error) {
    if (options.interrupted.aborted) return INTERRUPTED;
    throw explainListenError(error);
  } finally {
    await removeRunState(directory);
  }
}

async function serve(settings: ServerSettings, options: RoleRunOptions, state: RunState, environment: RunEnvironment): Promise<number> {
  const { directory, interrupted } = options;
  const [admission, access] = await Promise.all([readAdmission(settings), loadAccess(settings.access ?? {}, settings, environment.log)]);
  const store = await openStore(settings, directory, environment);
  const pki = await pkiFor(settings, filePkiStore(directory.pki), environment);
  const server = createApiServer(apiServerOptions(settings, pki, { admission, access }), { store, ...environment });
  try {
    const ready = server.start(interrupted).then(() => server.ready);
    await startInTime(Promise.race([ready, whenAborted(interrupted)]), options.readyTimeoutMilliseconds, environment.clock, async () => describeFailingChecks(await server.failingChecks()));
    throwIfAborted(interrupted);
    const admin = createClient(server.transport(ADMIN, 'kube'));
    await Promise.all([ensureNodeAgentRole(admin), ensureDnsRole(admin)]);
    const url = `https://${hostPort(clientAddress(settings.bindAddress), server.address.port)}`;
    await writeRoleKubeconfigs(directory, url, pki);
    await writeRunState(directory, { ...state, server: url, components: [{ name: 'server', state: 'running' }] });
    options.ready({ event: 'ready', component: 'server', pid: process.pid, server: url, kubeconfig: directory.kubeconfig, dataDir: directory.path, version: VERSION });
    await whenAborted(interrupted);
    return 0;
  } finally {
    await server.stop(STOP_MILLISECONDS);
    await store.close();
  }
}

async function writeRoleKubeconfigs(directory: DataDirectory, url: string, pki: Pki): Promise<void> {
  const ca = pki.ca.certificate;
  const identities: readonly [string, string, string, readonly string[]][] = [
    ['scheduler', 'scheduler', 'system:kube-scheduler', []],
    ['controllers', 'controllers', 'system:kube-controller-manager', []],
    ['node', 'node-agent', NODE_AGENT, []],
  ];
  await writeAtomically(directory.kubeconfig, renderConfig(clientKubeconfig(url, ca, pki.admin)));
  for (const [role, file, name, groups] of identities) {
    await writeAtomically(directory.roleKubeconfig(role), renderConfig(clientKubeconfig(url, ca, await pki.client(file, name, groups))));
  }
}

/** `kube scheduler`: the scheduler alone. */
export function runSchedulerRole(options: RoleRunOptions): Promise<number> {
  return runClientRole('scheduler', options, (connection, client, environment) => ({
    component: elected('kube-scheduler', client, environment, options, () => makeScheduler(client, environment)),
    server: connection.server,
  }));
}

/** `kube controllers`: the controllers alone. Each acts with a token of its own service account. */
export function runControllersRole(settings: ControllersSettings, options: RoleRunOptions): Promise<number> {
  return runClientRole('controllers', options, async (connection, client, environment) => {
    const store = filePkiStore(options.directory.pki);
    const [certificate, key, serviceAccountKey] = await Promise.all([store.read('ca.crt'), store.read('ca.key'), store.read('sa.key')]);
    const accounts = new ServiceAccountClients(connection, client, environment);
    const keys = { rootCa: connection.ca ?? certificate ?? '', ...(certificate && key ? { signing: { certificate, key } } : {}), ...(serviceAccountKey ? { serviceAccountKey } : {}) };
    const component = elected('kube-controller-manager', client, environment, options, () => makeControllers({ client, clientFor: (name) => accounts.clientFor(name) }, settings, keys, environment));
    return { component, server: connection.server, close: () => accounts.close() };
  });
}

/** `kube node`: a node agent alone, simulated unless native containers are asked for; with those come the service proxy and DNS that its pods need. */
export async function runNodeRole(settings: NodeSettings, wanted: WantedRanges, options: RoleRunOptions): Promise<number> {
  const native = settings.containerRuntime === 'native' ? await nativeNode(settings, wanted, options) : undefined;
  try {
    return await runClientRole('node', options, async (connection, client, environment) => {
      const store = filePkiStore(options.directory.pki);
      const [certificate, key, clientCa] = await Promise.all([store.read('kubelet.crt'), store.read('kubelet.key'), store.read('ca.crt')]);
      if (!certificate || !key || !clientCa) throw new KubeError('KUBE_NODE_KEYS', `the keys of the node agent are missing in ${options.directory.pki}: start "kube server" with the same --data-dir first`);
      const keys = { serving: { certificate, key }, clientCa };
      if (!native) return { component: makeNodeAgent(client, settings, keys, environment), server: connection.server, nodes: nodeNames(settings) };
      const own = { ...environment, commands: native.commands };
      await prepareHost(native.settings.host, native.settings.addresses.hostAddress, native.commands);
      const node = makeNodeAgent(client, settings, keys, own, native.settings);
      const services = [makeServiceProxy(client, native.settings, own), makeClusterDns(client, settings.clusterDomain, native.settings, own)];
      return { component: together(node, services, async () => howToEndPods(await readStopRequest(options.directory), settings.keepPods)), server: connection.server, nodes: [native.settings.nodeName] };
    }, { ...(native ? { native: true } : {}), ...(settings.keepPods ? { keepPods: true } : {}) });
  } finally {
    await native?.commands.close();
  }
}

async function nativeNode(settings: NodeSettings, wanted: WantedRanges, { directory, logLevel }: RoleRunOptions): Promise<{ readonly commands: Commands; readonly settings: NativeSettings }> {
  await directory.prepare();
  await chooseRuntime('native');
  const commands = await startBroker();
  const environment = systemEnvironment(createWinstonLog({ level: logLevel as LogLevel }));
  return { commands, settings: await nativeSettings(directory, settings, wanted, environment) };
}

/** One component of a node and what its pods need; its pods end with it unless they are kept. */
function together(node: NodeRole, services: readonly Component[], endPods: () => Promise<{ readonly deadlineMilliseconds: number } | undefined>): Component {
  return {
    name: 'node',
    start: async (signal) => {
      await Promise.all([node, ...services].map((part) => part.start(signal)));
    },
    stop: async (deadlineMilliseconds) => {
      const end = await endPods();
      if (end) await node.endPods(end.deadlineMilliseconds);
      await Promise.all([node, ...services].map((part) => part.stop(deadlineMilliseconds)));
    },
  };
}

interface ClientRole {
  readonly component: Component;
  readonly server: string;
  readonly nodes?: readonly string[];
  readonly close?: () => Promise<void>;
}

async function runClientRole(
  name: string,
  options: RoleRunOptions,
  make: (connection: HttpConnection, client: Client, environment: RunEnvironment) => ClientRole | Promise<ClientRole>,
  traits: Pick<RoleProcess, 'native' | 'keepPods'> = {},
): Promise<number> {
  const environment = systemEnvironment(createWinstonLog({ level: options.logLevel as LogLevel }));
  const file = options.kubeconfig ?? options.directory.roleKubeconfig(name);
  const config = await readKubeconfigFile(file);
  if (!config) throw new KubeError('KUBE_NO_KUBECONFIG', `there is no kubeconfig ${file}: start "kube server" with the same --data-dir first, or name one with --kubeconfig`);
  const connection = await connectionFromKubeconfig(config, dirname(file));
  if (connection.ca && pemBlocks(connection.ca, 'CERTIFICATE').length === 0) throw new KubeError('KUBE_KUBECONFIG_INVALID', `${file}: the certificate authority is no PEM certificate`);
  const transport = new HttpTransport({ ...connection, userAgent: USER_AGENTS[name] ?? `kube-${name}` });
  const client = createClient(transport);
  // One that was told of a server elsewhere does not belong to what happens to lie in the data directory.
  const authority = await filePkiStore(options.directory.pki).read('ca.crt');
  const forget = authority !== undefined && authority.trim() === connection.ca?.trim() ? await noteRole(options.directory, { role: name, ...traits }) : undefined;
  try {
    await waitForServer(client, connection.server, environment, options);
    const role = await make(connection, client, environment);
    const supervisor = new Supervisor({ name, make: () => role.component }, environment.clock, environment.log, () => undefined);
    try {
      await Promise.race([supervisor.start(), whenAborted(options.interrupted)]);
      throwIfAborted(options.interrupted);
      options.ready({ event: 'ready', component: name, pid: process.pid, server: role.server, ...(role.nodes ? { nodes: role.nodes } : {}), version: VERSION });
      await whenAborted(options.interrupted);
    } finally {
      await supervisor.stop(STOP_MILLISECONDS);
      await role.close?.();
    }
  } catch (error) {
    if (options.interrupted.aborted) return INTERRUPTED;
    throw error;
  } finally {
    await transport.close();
    await forget?.();
  }
  return 0;
}

/** The server may be started at the same time: wait for it a while. */
async function waitForServer(client: Client, server: string, environment: RunEnvironment, { interrupted: signal, readyTimeoutMilliseconds }: RoleRunOptions): Promise<void> {
  const { clock } = environment;
  const end = clock.monotonic() + readyTimeoutMilliseconds;
  for (;;) {
    try {
      await client.raw('GET', '/readyz');
      return;
    } catch (error) {
      throwIfAborted(signal);
      if (clock.monotonic() > end) throw new KubeError('KUBE_SERVER_UNREACHABLE', `the API server ${server} has not answered within ${readyTimeoutMilliseconds / 1000} s: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    await sleep(clock, CONNECT_PAUSE_MILLISECONDS, signal);
  }
}

function elected(lease: string, client: Client, environment: RunEnvironment, options: RoleRunOptions, make: () => Component): Component {
  if (!options.leaderElect) return make();
  const { clock, random, log } = environment;
  return electedComponent(lease, { client, clock, random, log, name: lease, identity: `${hostname()}_${random.uuid()}` }, make);
}
