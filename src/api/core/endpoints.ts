import type { CoreV1EndpointPort, V1EndpointAddress, V1Endpoints, V1EndpointSubset } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { ipWarnings, validateLegacyIp } from '../meta/validation/ip.js';
import { qualifiedName } from '../meta/validation/labels.js';
import { dns1123Label, dns1123Subdomain } from '../meta/validation/names.js';
import { portNumber } from '../meta/validation/numbers.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateEndpointIp } from './validation/endpoint-ip.js';

const SUBSETS = FieldPath.of('subsets');
const SHOWN = 3;

export const endpoints = defineKind<V1Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  defaults: (draft) => {
    for (const subset of draft.subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
  },
  validate,
  validateUpdate: (object, old) => (deepEqual(object.subsets, old.subsets) ? [] : validate(object)),
  warnings: (object) => {
    if (object.metadata?.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
    return (object.subsets ?? []).flatMap((subset, i) =>
      (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
        (subset[list] ?? []).flatMap((address, j) => ipWarnings(address.ip, SUBSETS.index(i).child(list).index(j).child('ip')))));
  },
  columns: [NAME, text('Endpoints', addressesText), AGE],
});

function validate(object: V1Endpoints): FieldError[] {
  return (object.subsets ?? []).flatMap((subset, i) => validateSubset(subset, SUBSETS.index(i)));
}

function validateSubset(subset: V1EndpointSubset, path: FieldPath): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  return [
    ...(addresses.length + notReadyAddresses.length === 0 ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...addresses.flatMap((address, i) => validateAddress(address, path.child('addresses').index(i))),
    ...notReadyAddresses.flatMap((address, i) => validateAddress(address, path.child('notReadyAddresses').index(i))),
    ...ports.flatMap((port, i) => validatePort(port, ports.length > 1, path.child('ports').index(i))),
  ];
}

function validateAddress(address: V1EndpointAddress, path: FieldPath): FieldError[] {
  const ip = address.ip ?? '';
  const errors = validateLegacyIp(ip, path.child('ip'));
  if (address.hostname) for (const message of dns1123Label(address.hostname)) errors.push(invalid(path.child('hostname'), address.hostname, message));
  if (address.nodeName !== undefined) {
    for (const message of dns1123Subdomain(address.nodeName)) errors.push(invalid(path.child('nodeName'), address.nodeName, message));
  }
  errors.push(...validateEndpointIp(ip, path.child('ip')));
  return errors;
}

function validatePort(port: CoreV1EndpointPort, needsName: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (port.name) for (const message of dns1123Label(port.name)) errors.push(invalid(path.child('name'), port.name, message));
  else if (needsName) errors.push(required(path.child('name')));
  for (const message of portNumber(port.port ?? 0)) errors.push(invalid(path.child('port'), port.port ?? 0, message));
  errors.push(...validateEnum(port.protocol, ['SCTP', 'TCP', 'UDP'], path.child('protocol'), { empty: 'required' }));
  if (port.appProtocol !== undefined) {
    for (const message of qualifiedName(port.appProtocol)) errors.push(invalid(path.child('appProtocol'), port.appProtocol, message));
  }
  return errors;
}

/** The first few `ip:port`, and how many more there are. */
function addressesText(object: V1Endpoints): string {
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports = [] } of object.subsets ?? []) {
    for (const port of ports.length > 0 ? ports : [undefined]) {
      count += addresses.length;
      for (const { ip } of addresses) {
        if (shown.length === SHOWN) break;
        shown.push(port === undefined ? ip : `${ip.includes(':') ? `[${ip}]` : ip}:${port.port}`);
      }
    }
  }
  if (shown.length === 0) return (object.subsets?.length ?? 0) === 0 ? '<none>' : '';
  return count > SHOWN ? `${shown.join(',')} + ${count - SHOWN} more...` : shown.join(',');
}
