export type { ClusterDnsOptions } from './options.js';
