import { hostname } from 'node:os';
import { join } from 'node:path';
import { createControllerManager, type ControllerOptions } from '../controllers/index.js';
import type { Component } from '../base/component.js';
import { createInformerFactory, type Client } from '../client/index.js';
import { createEventRecorder, createQueueMetrics, createSeriesEventRecorder } from '../reconcile/index.js';
import { createNodeAgent, type NodeAgent } from '../node/index.js';
import { createScheduler } from '../scheduler/index.js';
import type { CertificatePair } from '../base/tls/authority.js';
import type { RunEnvironment } from './environment.js';
import { nativeNodeParts } from './native/native-node.js';
import type { NativeSettings } from './native/native-settings.js';
import type { ControllersSettings, NodeSettings } from './options.js';

/** The scheduler with informers of its own. */
export function makeScheduler(client: Client, environment: RunEnvironment): Component {
  const { clock, random, metrics } = environment;
  const log = environment.log.child({ component: 'scheduler' });
  const informers = createInformerFactory({ client, clock, random, log });
  const recorder = createSeriesEventRecorder({ client, component: 'default-scheduler', hostname: hostname(), clock, random, log });
  const scheduler = createScheduler({}, { client, informers, recorder, clock, random, log, metrics });
  return {
    name: 'scheduler',
    start: (signal) => scheduler.start(signal),
    async stop(deadlineMilliseconds) {
      await scheduler.stop(deadlineMilliseconds);
      await recorder.stop(deadlineMilliseconds);
      await informers.stop();
    },
  };
}

/** What the controllers sign and publish. */
export interface ControllerKeys {
  /** PEM of the authority that clients trust. */
  readonly rootCa: string;
  /** With it certificate requests are signed; absent: they are not. */
  readonly signing?: CertificatePair;
  /** PEM; with it tokens in secrets are signed. */
  readonly serviceAccountKey?: string;
}

/** The controller manager. */
export function makeControllers(
  clients: { readonly client: Client; readonly clientFor: (serviceAccount: string) => Client },
  settings: ControllersSettings,
  keys: ControllerKeys,
  environment: RunEnvironment,
  native?: NativeSettings,
): Component {
  const options: ControllerOptions = {
    ...(native ? { localPathFolder: join(native.host.stateFolder, 'local-volumes'), localPathNodes: [native.nodeName] } : {}),
    clusterName: 'kubernetes',
    serviceClusterIpRange: settings.serviceClusterIpRange,
    clusterCidr: settings.clusterCidr,
    nodeCidrMaskSize: settings.nodeCidrMaskSize,
    allocateNodeCidrs: true,
    rootCa: keys.rootCa,
    ...(keys.signing ? { clusterSigningCertificate: keys.signing.certificate, clusterSigningKey: keys.signing.key } : {}),
    ...(keys.serviceAccountKey ? { serviceAccountKey: keys.serviceAccountKey } : {}),
    nodeMonitorGracePeriodSeconds: settings.nodeMonitorGracePeriodSeconds,
    terminatedPodGcThreshold: settings.terminatedPodGcThreshold,
  };
  const { clock, random, metrics } = environment;
  return createControllerManager({ ...clients, clock, random, metrics: createQueueMetrics(metrics), log: environment.log.child({ component: 'controllers' }), options, controllers: settings.controllers });
}

/** Names of the simulated nodes that an agent with these settings carries. */
export function nodeNames(settings: NodeSettings): readonly string[] {
  const prefix = settings.nodeName ?? 'node';
  if (settings.simulatedNodes === 1 && settings.nodeName) return [settings.nodeName];
  return Array.from({ length: settings.simulatedNodes }, (_, i) => `${prefix}-${i + 1}`);
}

/** Keys of a node agent. */
export interface NodeKeys {
  readonly serving: CertificatePair;
  /** PEM of the authority whose client certificates the agent's server takes. */
  readonly clientCa: string;
}

/** A node agent whose pods can be ended before it stops. */
export type NodeRole = Component & Pick<NodeAgent, 'endPods'>;

/** The node agent, with its simulated nodes or with the node of this host. */
export function makeNodeAgent(client: Client, settings: NodeSettings, keys: NodeKeys, environment: RunEnvironment, native?: NativeSettings): NodeRole {
  const { clock, random, metrics } = environment;
  const log = environment.log.child({ component: 'node' });
  const informers = createInformerFactory({ client, clock, random, log });
  const recorder = createEventRecorder({ client, component: 'kubelet', clock, random, log });
  const nodes = native ? [{ name: native.nodeName }] : nodeNames(settings).map((name) => ({ name }));
  const bindAddress = native ? native.nodeIp : settings.bindAddress;
  const agent = createNodeAgent(
    { nodes, serving: keys.serving, clientCa: keys.clientCa, bindAddress, port: settings.kubeletPort },
    { client, informers, recorder, clock, random, log, metrics, ...(native ? { parts: nativeNodeParts(client, settings, native, { ...environment, log }) } : {}) },
  );
  return {
    name: 'node',
    endPods: (deadlineMilliseconds) => agent.endPods(deadlineMilliseconds),
    start: (signal) => agent.start(signal),
    async stop(deadlineMilliseconds) {
      await agent.stop(deadlineMilliseconds);
      await recorder.stop(deadlineMilliseconds);
      await informers.stop();
    },
  };
}
