import type { Draft } from '../draft.js';
import type { V1Service, V1ServiceSpec } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { isExternallyAccessible, needsClusterIp, needsHealthCheckNodePort, needsNodePort } from './service-traits.js';

/**
 * A service that changes its type loses the fields that only its old type had, where the client left them as they were (they
 * may have been filled in by the server). Fields that the client also changed stay, and validation refuses them.
 */
export function dropFieldsOfOldType(draft: Draft<V1Service>, old: V1Service): void {
  const spec = draft.spec ?? {};
  const before = old.spec ?? {};
  const same = (field: keyof V1ServiceSpec): boolean => deepEqual(spec[field], before[field]);
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    const addressesSame = (spec.clusterIP ?? '') === (before.clusterIP ?? '') && same('clusterIPs');
    const familiesSame = same('ipFamilies');
    const policySame = same('ipFamilyPolicy');
    if (addressesSame) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (familiesSame) delete spec.ipFamilies;
    if (policySame) delete spec.ipFamilyPolicy;
  }
  if (needsNodePort(before) && !needsNodePort(spec) && hasNoNewNodePort(spec, before)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckNodePort(before) && !needsHealthCheckNodePort(spec) && same('healthCheckNodePort')) delete spec.healthCheckNodePort;
  const balancerBefore = before.type === 'LoadBalancer';
  const balancerNow = spec.type === 'LoadBalancer';
  if (balancerBefore && !balancerNow) {
    if (same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
    if (same('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec) && same('externalTrafficPolicy')) delete spec.externalTrafficPolicy;
  if (!balancerNow) draft.status = { ...draft.status, loadBalancer: {} };
}

function hasNoNewNodePort(spec: V1ServiceSpec, before: V1ServiceSpec): boolean {
  const known = new Set((before.ports ?? []).map((port) => port.nodePort));
  return (spec.ports ?? []).every((port) => !port.nodePort || known.has(port.nodePort));
}
