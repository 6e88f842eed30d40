import type { Draft } from '../draft.js';
import type { V1Service } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { cidrWarnings, ipWarnings } from '../meta/validation/ip.js';
import { nameIsDnsLabel } from '../meta/validation/names.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { isExternallyAccessible } from './service-traits.js';
import { dropFieldsOfOldType } from './service-type-change.js';
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from './service-validation.js';
import { entryPointsText } from './validation/load-balancer-status.js';

const SPEC = FieldPath.of('spec');
const TYPES_WITH_CLUSTER_IP = ['ClusterIP', 'NodePort', 'LoadBalancer'];

export const service = defineKind<V1Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  validateName: nameIsDnsLabel,
  defaults,
  prepareForCreate: (draft) => {
    draft.status = { loadBalancer: {} };
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropFieldsOfOldType(draft, old);
  },
  validate: (object) => validateService(object, undefined),
  validateUpdate: validateServiceUpdate,
  whenRead: withoutInternalPolicy,
  warnings,
  subresources: {
    status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateServiceStatusUpdate },
  },
  selectableFields: {
    'spec.clusterIP': (object) => object.spec?.clusterIP ?? '',
    'spec.type': (object) => object.spec?.type ?? '',
  },
  columns: [
    NAME,
    text('Type', (object) => object.spec?.type ?? ''),
    text('Cluster-IP', (object) => object.spec?.clusterIPs?.[0] ?? '<none>'),
    text('External-IP', externalAddress),
    text('Port(s)', (object) => portsText(object) || '<none>'),
    AGE,
    text('Selector', selectorText, 1),
  ],
});

/** A service that is only a name in DNS has no policy for traffic. */
function withoutInternalPolicy(object: V1Service): V1Service {
  if (object.spec?.type !== 'ExternalName' || object.spec.internalTrafficPolicy === undefined) return object;
  const { internalTrafficPolicy: _, ...spec } = object.spec;
  return { ...object, spec };
}

function defaults(draft: Draft<V1Service>): void {
  const spec = (draft.spec ??= {});
  spec.type ||= 'ClusterIP';
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (TYPES_WITH_CLUSTER_IP.includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster';
  const status = (draft.status ??= {});
  status.loadBalancer ??= {};
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const entry of status.loadBalancer.ingress ?? []) if (entry.ip) entry.ipMode ??= 'VIP';
}

function warnings(object: V1Service): string[] {
  const texts: string[] = [];
  const spec = object.spec ?? {};
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const externalIps = spec.externalIPs ?? [];
  if (object.metadata?.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    texts.push('annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead');
  }
  if (spec.clusterIP && spec.clusterIP !== 'None') {
    (spec.clusterIPs ?? []).forEach((ip, i) => texts.push(...ipWarnings(ip, SPEC.child('clusterIPs').index(i))));
  }
  if (headless) {
    if (spec.loadBalancerIP) texts.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIps.length > 0) texts.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') texts.push('spec.SessionAffinity is ignored for headless services');
  }
  externalIps.forEach((ip, i) => texts.push(...ipWarnings(ip, SPEC.child('externalIPs').index(i))));
  if (externalIps.length > 0 && !headless && spec.type !== 'ExternalName') {
    texts.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (spec.loadBalancerIP) texts.push(...ipWarnings(spec.loadBalancerIP, SPEC.child('loadBalancerIP')));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, i) => texts.push(...cidrWarnings(range, SPEC.child('loadBalancerSourceRanges').index(i))));
  if (spec.type === 'ExternalName' && externalIps.length > 0) texts.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && spec.externalName) texts.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose') texts.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return texts;
}

function externalAddress(object: V1Service): string {
  const spec = object.spec ?? {};
  const externalIps = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIps.join(',') || '<none>';
    case 'LoadBalancer': {
      const entryPoints = entryPointsText(object.status?.loadBalancer?.ingress);
      return [...(entryPoints ? [entryPoints] : []), ...externalIps].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function portsText(object: V1Service): string {
  return (object.spec?.ports ?? []).map((port) => `${port.port}${port.nodePort ? `:${port.nodePort}` : ''}/${port.protocol ?? ''}`).join(',');
}

function selectorText(object: V1Service): string {
  const pairs = Object.entries(object.spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`).sort();
  return pairs.join(',') || '<none>';
}
