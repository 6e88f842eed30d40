/**
 * The library: `import { startCluster } from 'kube'` runs a whole Kubernetes in a test process.
 */
export { startCluster } from './run/start-cluster.js';
export type { RunningCluster, StartClusterOptions } from './run/start-cluster.js';
/** Names of the kinds for the client: `cluster.client.resource(PODS).list('default')`. */
export * from './api/resource-refs.js';
export type { Client } from './client/index.js';
