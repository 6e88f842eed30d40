import { needsClusterIp, needsHealthCheckNodePort } from '../../../api/core/service-traits.js';
import type { Draft } from '../../../api/draft.js';
import type { V1Service, V1ServiceSpec } from '../../../api/generated/types.js';
import { sameClusterIps } from './service-families.js';

/** Brings `clusterIP` and `clusterIPs` together, guessing which of the two an old client meant to change. */
export function normalizeClusterIps(draft: Draft<V1Service>, old: V1Service | undefined): void {
  const spec = (draft.spec ??= {});
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const before = old.spec ?? {};
  const ip = spec.clusterIP ?? '';
  const ipBefore = before.clusterIP ?? '';
  if (before.clusterIPs?.length && !spec.clusterIPs?.length && ip === ipBefore) spec.clusterIPs = [...before.clusterIPs];
  if (ip === ipBefore || !sameClusterIps(spec, before)) return;
  if (ipBefore !== '' && ip === '') delete spec.clusterIPs;
  else spec.clusterIPs = [ip];
}

function wantsNodePorts(spec: V1ServiceSpec | undefined): boolean {
  return spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Values that the server allocated stay when a client writes the object without them. */
export function patchAllocatedValues(draft: Draft<V1Service>, old: V1Service): void {
  const spec = (draft.spec ??= {});
  const before = old.spec ?? {};
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && before.clusterIPs?.length) spec.clusterIPs = [...before.clusterIPs];
  }
  if (wantsNodePorts(before) && wantsNodePorts(spec)) {
    const now = new Set((spec.ports ?? []).map((port) => port.nodePort));
    const byName = new Map((before.ports ?? []).map((port) => [port.name ?? '', port.nodePort]));
    for (const port of spec.ports ?? []) {
      const known = byName.get(port.name ?? '');
      // A port that another entry of the new object holds already cannot be put back.
      if (!port.nodePort && known && !now.has(known)) port.nodePort = known;
    }
  }
  if (needsHealthCheckNodePort(before) && needsHealthCheckNodePort(spec) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}
