import type { DiscoveryV1EndpointPort, V1Endpoint, V1EndpointHints, V1EndpointSlice } from '../generated/types.js';
import { validateEndpointIp } from '../core/validation/endpoint-ip.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, invalid, required, tooMany, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { parseIp, validateIp, validateLegacyIp } from '../meta/validation/ip.js';
import { labelValue, validateLabelName, validateLabels } from '../meta/validation/labels.js';
import { validateFullyQualifiedDomainName } from '../meta/validation/text.js';

const ENDPOINTS = FieldPath.of('endpoints');
const PORTS = FieldPath.of('ports');
const MAX = { endpoints: 1000, addresses: 100, ports: 20000, topologyLabels: 16, hints: 8 };

export function validateEndpointSlice(object: V1EndpointSlice, old: V1EndpointSlice | undefined): FieldError[] {
  const errors = [
    ...validateEnum(object.addressType, ['FQDN', 'IPv4', 'IPv6'], FieldPath.of('addressType'), { empty: 'required' }),
    ...validatePorts(object.ports ?? []),
  ];
  // Endpoints that have not changed are not held to newer rules.
  if (old === undefined || !deepEqual(object.endpoints, old.endpoints)) errors.push(...validateEndpoints(object));
  return errors;
}

export function validateEndpointSliceUpdate(object: V1EndpointSlice, old: V1EndpointSlice): FieldError[] {
  return [...validateEndpointSlice(object, old), ...validateImmutable(object.addressType, old.addressType, FieldPath.of('addressType'))];
}

function validatePorts(ports: readonly DiscoveryV1EndpointPort[]): FieldError[] {
  if (ports.length > MAX.ports) return [tooMany(PORTS, ports.length, MAX.ports)];
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = PORTS.index(i);
    const name = port.name ?? '';
    const errors = name === '' ? [] : validateDnsLabel(name, path.child('name'));
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
    if (port.protocol === undefined) errors.push(required(path.child('protocol')));
    else errors.push(...validateEnum(port.protocol, ['SCTP', 'TCP', 'UDP'], path.child('protocol')));
    if (port.appProtocol !== undefined) errors.push(...validateLabelName(port.appProtocol, path.child('appProtocol')));
    return errors;
  });
}

function validateEndpoints(object: V1EndpointSlice): FieldError[] {
  const endpoints = object.endpoints ?? [];
  if (endpoints.length > MAX.endpoints) return [tooMany(ENDPOINTS, endpoints.length, MAX.endpoints)];
  return endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, object.addressType, ENDPOINTS.index(i)));
}

function validateEndpoint(endpoint: V1Endpoint, addressType: string, path: FieldPath): FieldError[] {
  const { addresses = [], nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const addressPath = path.child('addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(addressPath, 'must contain at least 1 address'));
  else if (addresses.length > MAX.addresses) errors.push(tooMany(addressPath, addresses.length, MAX.addresses));
  addresses.forEach((address, i) => errors.push(...validateAddress(address, addressType, addressPath, i)));
  if (nodeName !== undefined) errors.push(...validateDnsSubdomain(nodeName, path.child('nodeName')));
  const topologyPath = path.child('deprecatedTopology');
  const labels = Object.keys(deprecatedTopology).length;
  if (labels > MAX.topologyLabels) errors.push(tooMany(topologyPath, labels, MAX.topologyLabels));
  errors.push(...validateLabels(deprecatedTopology, topologyPath));
  if (hostname !== undefined) errors.push(...validateDnsLabel(hostname, path.child('hostname')));
  if (hints !== undefined) errors.push(...validateHints(hints, path.child('hints')));
  return errors;
}

function validateAddress(address: string, addressType: string, path: FieldPath, index: number): FieldError[] {
  const at = path.index(index);
  if (addressType === 'FQDN') return validateFullyQualifiedDomainName(address, at);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  const wrong = addressType === 'IPv4' ? validateLegacyIp(address, at) : validateIp(address, at);
  if (wrong.length > 0) return wrong;
  const family = parseIp(address)?.family === 4 ? 'IPv4' : 'IPv6';
  return [...(family === addressType ? [] : [invalid(path, address, `must be an ${addressType} address`)]), ...validateEndpointIp(address, at)];
}

function validateHints(hints: V1EndpointHints, path: FieldPath): FieldError[] {
  const zones = validateNames(hints.forZones ?? [], path.child('forZones'), (name, at) => labelValue(name).map((message) => invalid(at, name, message)));
  const nodes = validateNames(hints.forNodes ?? [], path.child('forNodes'), validateDnsSubdomain);
  return (hints.forZones?.length ?? 0) > MAX.hints ? zones : [...zones, ...nodes];
}

function validateNames(items: readonly { readonly name: string }[], path: FieldPath, rule: (name: string, path: FieldPath) => FieldError[]): FieldError[] {
  if (items.length > MAX.hints) return [tooMany(path, items.length, MAX.hints)];
  const seen = new Set<string>();
  return items.flatMap(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    const errors = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...errors, ...rule(name, at)];
  });
}
