import { silentLogger, type Logger } from '../base/log.js';
import type { Client } from '../client/index.js';
import { MemoryStore, type Store } from '../storage/index.js';
import { Cluster } from './cluster.js';
import { systemEnvironment, type RunEnvironment } from './environment.js';
import { renderConfig } from './merge-kubeconfig.js';
import { DEFAULT_SETTINGS, type ClusterSettings } from './options.js';
import { memoryPkiStore } from './pki.js';
import { startInTime } from './start-in-time.js';

/** What a cluster in a test process is like; everything has a default. */
export interface StartClusterOptions {
  /** Number of simulated nodes; default 1. */
  readonly nodes?: number;
  /** Log of the cluster; default: none. */
  readonly log?: Logger;
  /** Changes to the defaults, section by section. */
  readonly settings?: { readonly [K in keyof ClusterSettings]?: Partial<ClusterSettings[K]> };
  /** Default: a new memory store. A store given here is not closed by `stop`. */
  readonly store?: Store;
  /** Parts of the environment to replace. */
  readonly environment?: Partial<RunEnvironment>;
  /** Longest time to wait for the roles, and then once more for the nodes, in milliseconds; default 30,000. */
  readonly readyTimeoutMilliseconds?: number;
}

/** A running cluster in this process. */
export interface RunningCluster {
  /** `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** YAML of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** In-process client in `system:masters`. */
  readonly client: Client;
  readonly nodes: readonly string[];
  /** Stops everything and frees every handle. Idempotent. */
  stop(): Promise<void>;
}

const STOP_MILLISECONDS = 5000;

/**
 * Starts a whole cluster in this process: memory store, simulated nodes, a random loopback port. Several run side by
 * side. Resolves when everything is ready.
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<RunningCluster> {
  const environment: RunEnvironment = { ...systemEnvironment(options.log ?? silentLogger), ...options.environment };
  const settings: ClusterSettings = {
    server: { ...DEFAULT_SETTINGS.server, securePort: 0, store: 'memory', ...options.settings?.server },
    controllers: { ...DEFAULT_SETTINGS.controllers, ...((options.nodes ?? 1) > 250 ? { clusterCidr: '10.128.0.0/9' } : {}), ...options.settings?.controllers },
    node: { ...DEFAULT_SETTINGS.node, containerRuntime: 'sim', simulatedNodes: options.nodes ?? 1, ...options.settings?.node },
  };
  const store = options.store ?? new MemoryStore(environment.clock);
  const cluster = new Cluster(settings, { store, pki: memoryPkiStore() }, environment);
  const stop = async (): Promise<void> => {
    await cluster.stop(STOP_MILLISECONDS);
    if (!options.store) await store.close();
  };
  const never = new AbortController().signal;
  try {
    const timeout = options.readyTimeoutMilliseconds ?? 30_000;
    await startInTime(cluster.start(never), timeout, environment.clock, () => cluster.whyNotStarted());
    await cluster.waitForNodes(timeout, never);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server: cluster.url, kubeconfig: renderConfig(cluster.kubeconfig), client: cluster.client, nodes: cluster.nodes, stop };
}
