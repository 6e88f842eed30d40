export { ensureHostAddress } from './host-address.js';
export { NetworkGuard } from './network-guard.js';
export { createPodNetwork } from './network.js';
export { listNetworkObjects, removeNetworkObjects, type NetworkObject } from './objects.js';
export { NETWORK_FAILED, type PodNetworkOptions, type PodNetworkTools } from './options.js';
export type { AttachedNetwork, NetworkRequest, PodNetwork } from './pod-network.js';
