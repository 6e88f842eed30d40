import type { V1Service, V1ServicePort, V1ServiceSpec } from '../generated/types.js';
import { duplicate, forbidden, invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateLegacyCidr, validateLegacyIp } from '../meta/validation/ip.js';
import { qualifiedName, validateLabels } from '../meta/validation/labels.js';
import { dns1123Label, dns1123Subdomain } from '../meta/validation/names.js';
import { portNumber, validatePortNumberOrName } from '../meta/validation/numbers.js';
import { validateClusterIps, validateClusterIpsUpdate } from './service-cluster-ips.js';
import { isExternallyAccessible, isHeadless, needsHealthCheckNodePort } from './service-traits.js';
import { validateEndpointIp } from './validation/endpoint-ip.js';
import { entryPointIps, validateEntryPointHostname, validateEntryPointIp } from './validation/load-balancer-status.js';

const SPEC = FieldPath.of('spec');
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const MAX_AFFINITY_SECONDS = 86400;

/** Rules of a service; `old` is the stored one on update. */
export function validateService(service: V1Service, old: V1Service | undefined): FieldError[] {
  const spec = service.spec ?? {};
  return [
    ...validateTopologyAnnotations(service),
    ...validateTypeRules(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, SPEC.child('selector')),
    ...validateSessionAffinity(spec),
    ...validateClusterIps(spec, old?.spec),
    ...validateExternalIps(spec, old?.spec),
    ...validateEnum(spec.type, TYPES, SPEC.child('type'), { empty: 'required' }),
    ...validateUniquePorts(spec),
    ...validateSourceRanges(service, old),
    ...validateLoadBalancerFields(spec),
    ...validateTrafficPolicies(spec),
  ];
}

export function validateServiceUpdate(service: V1Service, old: V1Service): FieldError[] {
  const spec = service.spec ?? {};
  const before = old.spec ?? {};
  const errors = validateClusterIpsUpdate(spec, before);
  if (before.type === 'LoadBalancer' && spec.type === 'LoadBalancer' && before.loadBalancerClass !== spec.loadBalancerClass) {
    errors.push(invalid(SPEC.child('loadBalancerClass'), spec.loadBalancerClass, 'may not change once set'));
  }
  errors.push(...validateLoadBalancerClass(spec));
  if (needsHealthCheckNodePort(before) && needsHealthCheckNodePort(spec) && (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)) {
    errors.push(forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable'));
  }
  errors.push(...validateService(service, old));
  return errors;
}

export function validateServiceStatusUpdate(service: V1Service, old: V1Service): FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const entries = service.status?.loadBalancer?.ingress ?? [];
  if (service.spec?.type !== 'LoadBalancer' && entries.length > 0) return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = entryPointIps(old.status?.loadBalancer?.ingress);
  return entries.flatMap((entry, i) => {
    const at = path.index(i);
    const errors = validateEntryPointIp(entry, at, known);
    if (entry.ipMode === undefined) {
      if (entry.ip) errors.push(required(at.child('ipMode'), 'must be specified when `ip` is set'));
    } else if (!entry.ip) errors.push(forbidden(at.child('ipMode'), 'may not be specified when `ip` is not set'));
    else errors.push(...validateEnum(entry.ipMode, ['Proxy', 'VIP'], at.child('ipMode')));
    errors.push(...validateEntryPointHostname(entry, at));
    return errors;
  });
}

function validateTopologyAnnotations(service: V1Service): FieldError[] {
  const annotations = service.metadata?.annotations ?? {};
  const hints = annotations[TOPOLOGY_HINTS];
  const mode = annotations[TOPOLOGY_MODE];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  return [invalid(FieldPath.of('metadata', 'annotations').key(TOPOLOGY_MODE), mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`)];
}

function validateTypeRules(spec: V1ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.ports?.length ?? 0) === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required(SPEC.child('ports')));
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalid(SPEC.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type !== 'ExternalName') return errors;
  const notForExternalName = 'may not be set for ExternalName services';
  if ((spec.clusterIPs?.length ?? 0) > 0) errors.push(forbidden(SPEC.child('clusterIPs'), notForExternalName));
  if ((spec.ipFamilies?.length ?? 0) > 0) errors.push(forbidden(SPEC.child('ipFamilies'), notForExternalName));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden(SPEC.child('ipFamilyPolicy'), notForExternalName));
  const target = (spec.externalName ?? '').replace(/\.$/, '');
  if (target === '') errors.push(required(SPEC.child('externalName')));
  else for (const message of dns1123Subdomain(target)) errors.push(invalid(SPEC.child('externalName'), target, message));
  return errors;
}

function validatePorts(spec: V1ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return ports.flatMap((port, i) => validatePort(port, ports.length > 1, names, SPEC.child('ports').index(i)));
}

function validatePort(port: V1ServicePort, needsName: boolean, names: Set<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const name = port.name ?? '';
  if (name === '') {
    if (needsName) errors.push(required(path.child('name')));
  } else {
    for (const message of dns1123Label(name)) errors.push(invalid(path.child('name'), name, message));
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
  }
  for (const message of portNumber(port.port ?? 0)) errors.push(invalid(path.child('port'), port.port ?? 0, message));
  errors.push(...validateEnum(port.protocol, PROTOCOLS, path.child('protocol'), { empty: 'required' }));
  errors.push(...validatePortNumberOrName(port.targetPort, path.child('targetPort')));
  if (port.appProtocol !== undefined) {
    for (const message of qualifiedName(port.appProtocol)) errors.push(invalid(path.child('appProtocol'), port.appProtocol, message));
  }
  return errors;
}

function validateSessionAffinity(spec: V1ServiceSpec): FieldError[] {
  const errors = validateEnum(spec.sessionAffinity, ['ClientIP', 'None'], SPEC.child('sessionAffinity'), { empty: 'required' });
  const config = spec.sessionAffinityConfig;
  const path = SPEC.child('sessionAffinityConfig');
  if (spec.sessionAffinity === 'None' && config !== undefined) errors.push(forbidden(path, 'must not be set when session affinity is None'));
  if (spec.sessionAffinity !== 'ClientIP') return errors;
  const why = 'when session affinity type is ClientIP';
  const seconds = config?.clientIP?.timeoutSeconds;
  if (config === undefined) errors.push(required(path, why));
  else if (config.clientIP === undefined) errors.push(required(path.child('clientIP'), why));
  else if (seconds === undefined) errors.push(required(path.child('clientIP', 'timeoutSeconds'), why));
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    errors.push(invalid(path.child('clientIP', 'timeoutSeconds'), seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`));
  }
  return errors;
}

function validateExternalIps(spec: V1ServiceSpec, before: V1ServiceSpec | undefined): FieldError[] {
  return (spec.externalIPs ?? []).flatMap((ip, i) => {
    const path = SPEC.child('externalIPs').index(i);
    const errors = validateLegacyIp(ip, path, true, before?.externalIPs);
    return errors.length > 0 ? errors : validateEndpointIp(ip, path);
  });
}

function validateUniquePorts(spec: V1ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const ports = spec.ports ?? [];
  const path = SPEC.child('ports');
  if (spec.type === 'ClusterIP') {
    ports.forEach((port, i) => {
      if (port.nodePort) errors.push(forbidden(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    });
  }
  const nodePorts = new Set<string>();
  ports.forEach((port, i) => {
    if (!port.nodePort) return;
    const key = `${port.protocol}/${port.nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(path.index(i).child('nodePort'), port.nodePort));
    nodePorts.add(key);
  });
  const keys = new Set<string>();
  ports.forEach((port, i) => {
    const key = `${port.protocol}/${port.port}`;
    // Clients of upstream see the fields of its internal type here.
    if (keys.has(key)) errors.push(duplicate(path.index(i), { Name: '', Protocol: port.protocol, AppProtocol: null, Port: port.port, TargetPort: 0, NodePort: 0 }));
    keys.add(key);
  });
  return errors;
}

function validateSourceRanges(service: V1Service, old: V1Service | undefined): FieldError[] {
  const spec = service.spec ?? {};
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = service.metadata?.annotations?.[SOURCE_RANGES_ANNOTATION];
  if (ranges.length > 0) {
    const path = SPEC.child('LoadBalancerSourceRanges');
    const known = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    return [
      ...(spec.type === 'LoadBalancer' ? [] : [forbidden(path, ONLY_LOAD_BALANCER)]),
      ...ranges.flatMap((range, i) => validateLegacyCidr(range.trim(), path.index(i), true, known)),
    ];
  }
  if (annotation === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(SOURCE_RANGES_ANNOTATION);
  const errors = spec.type === 'LoadBalancer' ? [] : [forbidden(path, ONLY_LOAD_BALANCER)];
  if (annotation.trim() === '' || old?.metadata?.annotations?.[SOURCE_RANGES_ANNOTATION] === annotation) return errors;
  for (const range of annotation.trim().split(',')) errors.push(...validateLegacyCidr(range.trim(), path));
  return errors;
}

function validateLoadBalancerFields(spec: V1ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const allocates = spec.allocateLoadBalancerNodePorts;
  if (allocates !== undefined && spec.type !== 'LoadBalancer') errors.push(forbidden(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_LOAD_BALANCER));
  if (allocates === undefined && spec.type === 'LoadBalancer') errors.push(required(FieldPath.of('allocateLoadBalancerNodePorts')));
  errors.push(...validateLoadBalancerClass(spec));
  return errors;
}

function validateLoadBalancerClass(spec: V1ServiceSpec): FieldError[] {
  const name = spec.loadBalancerClass;
  if (name === undefined) return [];
  const path = SPEC.child('loadBalancerClass');
  if (spec.type !== 'LoadBalancer') return [forbidden(path, ONLY_LOAD_BALANCER)];
  return qualifiedName(name).map((message) => invalid(path, name, message));
}

function validateTrafficPolicies(spec: V1ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const external = SPEC.child('externalTrafficPolicy');
  if (isExternallyAccessible(spec)) errors.push(...validateEnum(spec.externalTrafficPolicy, POLICIES, external, { empty: 'required' }));
  else if (spec.externalTrafficPolicy) errors.push(invalid(external, spec.externalTrafficPolicy, 'may only be set for externally-accessible services'));

  const healthPath = SPEC.child('healthCheckNodePort');
  const healthPort = spec.healthCheckNodePort ?? 0;
  if (!needsHealthCheckNodePort(spec)) {
    if (healthPort !== 0) errors.push(invalid(healthPath, healthPort, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  } else if (healthPort === 0) errors.push(required(healthPath));
  else for (const message of portNumber(healthPort)) errors.push(invalid(healthPath, healthPort, message));

  const internal = SPEC.child('internalTrafficPolicy');
  if (spec.internalTrafficPolicy !== undefined) errors.push(...validateEnum(spec.internalTrafficPolicy, POLICIES, internal));
  else if (spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer') errors.push(required(internal));

  if (spec.trafficDistribution !== undefined && !DISTRIBUTIONS.includes(spec.trafficDistribution)) {
    errors.push(notSupportedInOrder(SPEC.child('trafficDistribution'), spec.trafficDistribution, DISTRIBUTIONS));
  }
  return errors;
}
