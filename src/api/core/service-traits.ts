import type { V1ServiceSpec } from '../generated/types.js';

/** `spec` of a service, stored or being written. */
export type ServiceSpec = V1ServiceSpec | undefined;

/** Without a virtual address: `clusterIPs` is just `None`. */
export const isHeadless = (spec: ServiceSpec): boolean => spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';

/** Reachable from outside: by node port, load balancer or external addresses. */
export function isExternallyAccessible(spec: ServiceSpec): boolean {
  return spec?.type === 'LoadBalancer' || spec?.type === 'NodePort' || (spec?.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);
}

export const needsClusterIp = (spec: ServiceSpec): boolean => spec?.type !== 'ExternalName';
export const needsNodePort = (spec: ServiceSpec): boolean => spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
/** Load balancers that keep traffic on the node ask each node whether it has endpoints. */
export const needsHealthCheckNodePort = (spec: ServiceSpec): boolean => spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
