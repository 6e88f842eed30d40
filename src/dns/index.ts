export { createClusterDns, type ClusterDns, type ClusterDnsEnvironment } from './cluster-dns.js';
export type { ClusterDnsOptions } from './options.js';
