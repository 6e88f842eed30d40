/**
 * The library: `import { startCluster } from 'kube'` runs a whole Kubernetes in a test process.
 */
export { startCluster } from './run/start-cluster.js';
export type { RunningCluster, StartClusterOptions } from './run/start-cluster.js';
