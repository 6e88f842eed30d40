import type { V1HTTPIngressPath, V1Ingress, V1IngressBackend, V1IngressRule, V1IngressServiceBackend, V1IngressSpec, V1IngressTLS } from '../generated/types.js';
import { entryPointIps, validateEntryPointHostname, validateEntryPointIp } from '../core/validation/load-balancer-status.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { parseIp } from '../meta/validation/ip.js';
import { dns1123Subdomain, wildcardDns1123Subdomain } from '../meta/validation/names.js';
import { portName, portNumber } from '../meta/validation/numbers.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { validateTypedReference } from './object-reference.js';

/** Older way to name the class of an ingress. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

const SPEC = FieldPath.of('spec');
const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

/** Rules that a stored ingress breaks already are not held against its update. */
interface IngressOptions {
  readonly allowInvalidSecretName?: boolean;
  readonly allowInvalidWildcardRule?: boolean;
}

export function validateIngressCreate(object: V1Ingress): FieldError[] {
  const errors = validateSpec(object.spec ?? {}, {});
  const annotation = object.metadata?.annotations?.[CLASS_ANNOTATION];
  const name = object.spec?.ingressClassName;
  if (annotation !== undefined && name !== undefined && annotation !== name) {
    errors.push(invalid(FieldPath.of('annotations', CLASS_ANNOTATION), annotation, 'must match `ingressClassName` when both are specified'));
  }
  return errors;
}

export function validateIngressUpdate(object: V1Ingress, old: V1Ingress): FieldError[] {
  const before = old.spec ?? {};
  const spec = validateSpec(object.spec ?? {}, {
    allowInvalidSecretName: (before.tls ?? []).some(({ secretName }) => secretName && dns1123Subdomain(secretName).length > 0),
    allowInvalidWildcardRule: (before.rules ?? []).some((rule) => rule.host?.includes('*') && validateRuleValue(rule, SPEC).length > 0),
  });
  return [...validateBuiltInMeta(object.metadata, { namespaced: true }), ...spec];
}

export function validateIngressStatusUpdate(object: V1Ingress, old: V1Ingress): FieldError[] {
  const known = entryPointIps(old.status?.loadBalancer?.ingress);
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  return (object.status?.loadBalancer?.ingress ?? []).flatMap((entry, i) => [
    ...validateEntryPointIp(entry, path.index(i), known),
    ...validateEntryPointHostname(entry, path.index(i)),
  ]);
}

function validateSpec(spec: V1IngressSpec, options: IngressOptions): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) errors.push(invalid(SPEC, spec.rules, 'either `defaultBackend` or `rules` must be specified'));
  if (defaultBackend !== undefined) errors.push(...validateBackend(defaultBackend, SPEC.child('defaultBackend')));
  rules.forEach((rule, i) => errors.push(...validateRule(rule, SPEC.child('rules').index(i), options)));
  tls.forEach((entry, i) => errors.push(...validateTls(entry, SPEC.child('tls').index(i), options)));
  if (ingressClassName !== undefined) errors.push(...validateDnsSubdomain(ingressClassName, SPEC.child('ingressClassName')));
  return errors;
}

function validateHost(host: string, path: FieldPath): FieldError[] {
  const messages = host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
  return messages.map((message) => invalid(path, host, message));
}

function validateTls(entry: V1IngressTLS, path: FieldPath, options: IngressOptions): FieldError[] {
  const errors = (entry.hosts ?? []).flatMap((host, i) => validateHost(host, path.child('hosts').index(i)));
  if (entry.secretName && options.allowInvalidSecretName !== true) errors.push(...validateDnsSubdomain(entry.secretName, path.child('secretName')));
  return errors;
}

function validateRule(rule: V1IngressRule, path: FieldPath, options: IngressOptions): FieldError[] {
  const errors: FieldError[] = [];
  const host = rule.host ?? '';
  if (host !== '') {
    if (parseIp(host) !== undefined) errors.push(invalid(path.child('host'), host, 'must be a DNS name, not an IP address'));
    errors.push(...validateHost(host, path.child('host')));
  }
  if (!host.includes('*') || options.allowInvalidWildcardRule !== true) errors.push(...validateRuleValue(rule, path));
  return errors;
}

function validateRuleValue(rule: V1IngressRule, path: FieldPath): FieldError[] {
  if (rule.http === undefined) return [];
  const paths = rule.http.paths ?? [];
  const at = path.child('http', 'paths');
  return paths.length === 0 ? [required(at)] : paths.flatMap((entry, i) => validatePath(entry, at.index(i)));
}

function validatePath(entry: V1HTTPIngressPath, path: FieldPath): FieldError[] {
  const { pathType, path: value = '' } = entry;
  if (pathType === undefined) return [required(path.child('pathType'), 'pathType must be specified')];
  const errors: FieldError[] = [];
  const at = path.child('path');
  const absolute = value.startsWith('/');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!absolute) errors.push(invalid(at, value, 'must be an absolute path'));
    for (const part of FORBIDDEN_PARTS) if (value.includes(part)) errors.push(invalid(at, value, `must not contain '${part}'`));
    for (const end of FORBIDDEN_ENDS) if (value.endsWith(end)) errors.push(invalid(at, value, `cannot end with '${end}'`));
  } else if (pathType === 'ImplementationSpecific') {
    if (value !== '' && !absolute) errors.push(invalid(at, value, 'must be an absolute path'));
  } else errors.push(notSupported(path.child('pathType'), pathType, ['Exact', 'ImplementationSpecific', 'Prefix']));
  return [...errors, ...validateBackend(entry.backend ?? {}, path.child('backend'))];
}

function validateBackend(backend: V1IngressBackend, path: FieldPath): FieldError[] {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateTypedReference(resource, path.child('resource'));
  return service === undefined ? [invalid(path, '', 'resource or service backend is required')] : validateServiceBackend(service, path);
}

function validateServiceBackend(service: V1IngressServiceBackend, path: FieldPath): FieldError[] {
  const namePath = path.child('service', 'name');
  const errors = service.name ? validateDnsLabel(service.name, namePath) : [required(namePath)];
  const { name = '', number = 0 } = service.port ?? {};
  if (name !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (name !== '') errors.push(...portName(name).map((message) => invalid(path.child('service', 'port', 'name'), name, message)));
  else if (number !== 0) errors.push(...portNumber(number).map((message) => invalid(path.child('service', 'port', 'number'), number, message)));
  else errors.push(required(path, 'port name or number is required'));
  return errors;
}
