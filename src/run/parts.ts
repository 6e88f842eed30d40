import { hostname } from 'node:os';
import { createControllerManager, type ControllerOptions } from '../controllers/index.js';
import type { Component } from '../base/component.js';
import { createInformerFactory, type Client } from '../client/index.js';
import { createEventRecorder, createQueueMetrics, createSeriesEventRecorder } from '../reconcile/index.js';
import { createNodeAgent } from '../node/index.js';
import { createScheduler } from '../scheduler/index.js';
import type { CertificatePair } from '../base/tls/authority.js';
import type { RunEnvironment } from './environment.js';
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
}

/** The controller manager. */
export function makeControllers(
  clients: { readonly client: Client; readonly clientFor: (serviceAccount: string) => Client },
  settings: ControllersSettings,
  keys: ControllerKeys,
  environment: RunEnvironment,
): Component {
  const options: ControllerOptions = {
    clusterName: 'kubernetes',
    serviceClusterIpRange: settings.serviceClusterIpRange,
    clusterCidr: settings.clusterCidr,
    nodeCidrMaskSize: settings.nodeCidrMaskSize,
    allocateNodeCidrs: true,
    rootCa: keys.rootCa,
    ...(keys.signing ? { clusterSigningCertificate: keys.signing.certificate, clusterSigningKey: keys.signing.key } : {}),
    nodeMonitorGracePeriodSeconds: settings.nodeMonitorGracePeriodSeconds,
    terminatedPodGcThreshold: settings.terminatedPodGcThreshold,
  };
  const { clock, random, metrics } = environment;
  return createControllerManager({ ...clients, clock, random, metrics: createQueueMetrics(metrics), log: environment.log.child({ component: 'controllers' }), options, controllers: settings.controllers });
}

/** Names of the nodes that an agent with these settings carries. */
export function nodeNames(settings: NodeSettings): readonly string[] {
  const prefix = settings.nodeName ?? 'node';
  if (settings.simulatedNodes === 1 && settings.nodeName) return [settings.nodeName];
  return Array.from({ length: settings.simulatedNodes }, (_, i) => `${prefix}-${i + 1}`);
}

/** The node agent with its simulated nodes. */
export function makeNodeAgent(client: Client, settings: NodeSettings, keys: { readonly serving: CertificatePair; readonly clientCa: string }, environment: RunEnvironment): Component {
  const { clock, random, metrics } = environment;
  const log = environment.log.child({ component: 'node' });
  const informers = createInformerFactory({ client, clock, random, log });
  const recorder = createEventRecorder({ client, component: 'kubelet', clock, random, log });
  const agent = createNodeAgent(
    { nodes: nodeNames(settings).map((name) => ({ name })), serving: keys.serving, clientCa: keys.clientCa, bindAddress: settings.bindAddress, port: settings.kubeletPort },
    { client, informers, recorder, clock, random, log, metrics },
  );
  return {
    name: 'node',
    start: (signal) => agent.start(signal),
    async stop(deadlineMilliseconds) {
      await agent.stop(deadlineMilliseconds);
      await recorder.stop(deadlineMilliseconds);
      await informers.stop();
    },
  };
}
