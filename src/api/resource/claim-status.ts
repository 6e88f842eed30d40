import type {
  ResourceV1ResourceClaim, V1AllocatedDeviceStatus, V1AllocationResult, V1DeviceRequestAllocationResult, V1NetworkDeviceData, V1ResourceClaimConsumerReference,
} from '../generated/types.js';
import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { validateDnsLabel } from '../core/validation/names.js';
import { validateNodeSelector } from '../core/validation/node-selector.js';
import { forbidden, invalid, required, tooLong, tooMany, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateConditions } from '../meta/validation/conditions.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { validateInterfaceAddress } from '../meta/validation/ip.js';
import { byteLength } from '../meta/validation/messages.js';
import { MAX_REQUESTS, requestNames, validateRequestRef, validateRequestRefs } from './claim-spec.js';
import { MAX_CONFIGS, validateBindingConditions, validateDeviceConfiguration, validateRawObject } from './device-config.js';
import { validatePoolName, validateShareId } from './device-names.js';
import { validateList, validateSet } from './lists.js';

const STATUS = FieldPath.of('status');
const MAX_RESERVED = 256;
const MAX_CONDITIONS = 8;
const MAX_DATA = 10 * 1024;
const MAX_IPS = 16;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;

/** An allocated device as messages show it. */
function shownDevice({ driver = '', pool = '', device = '', shareID = '' }: V1AllocatedDeviceStatus): object {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

/** Identity of an allocated device. */
export function deviceKey({ driver, pool, device, shareID }: Pick<V1AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>): string {
  return `${driver}/${pool}/${device}${shareID ? `/${shareID}` : ''}`;
}

export function validateClaimStatusUpdate(object: ResourceV1ResourceClaim, old: ResourceV1ResourceClaim): FieldError[] {
  const { reservedFor = [], devices, allocation } = object.status ?? {};
  const before = old.status ?? {};
  const reservedPath = STATUS.child('reservedFor');
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  const errors = [
    ...validateSet(reservedFor, MAX_RESERVED, validateConsumer, ({ uid }) => uid ?? '', reservedPath),
    ...validateSet(devices, Number.MAX_SAFE_INTEGER, (device, at) => validateDeviceStatus(device, allocated, at), deviceKey, STATUS.child('devices'), shownDevice),
  ];
  if (reservedFor.length > 0 && allocation === undefined) errors.push(forbidden(reservedPath, 'may not be specified when `allocated` is not set'));
  else if (object.metadata?.deletionTimestamp) {
    const known = new Set((before.reservedFor ?? []).map(({ uid }) => uid));
    if (reservedFor.some(({ uid }) => !known.has(uid))) {
      errors.push(forbidden(reservedPath, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'));
    }
  }
  if (allocation === undefined) return errors;
  const path = STATUS.child('allocation');
  return [...errors, ...(before.allocation === undefined ? validateAllocation(allocation, object, path) : validateImmutable(allocation, before.allocation, path))];
}

function validateConsumer(consumer: V1ResourceClaimConsumerReference, path: FieldPath): FieldError[] {
  return (['resource', 'name', 'uid'] as const).filter((field) => !consumer[field]).map((field) => required(path.child(field)));
}

function validateAllocation(allocation: V1AllocationResult, claim: ResourceV1ResourceClaim, path: FieldPath): FieldError[] {
  const names = requestNames(claim.spec?.devices);
  const devices = path.child('devices');
  return [
    ...validateList(allocation.devices?.results, MAX_REQUESTS, (result, at) => validateResult(result, names, at), devices.child('results')),
    ...validateList(allocation.devices?.config, 2 * MAX_CONFIGS, (config, at) => [
      ...validateEnum(config.source, ['FromClaim', 'FromClass'], at.child('source'), { empty: 'required' }),
      ...validateRequestRefs(config.requests, names, at.child('requests')),
      ...validateDeviceConfiguration(config, at),
    ], devices.child('config')),
    ...(allocation.nodeSelector === undefined ? [] : validateNodeSelector(allocation.nodeSelector, path.child('nodeSelector'))),
  ];
}

function validateResult(result: V1DeviceRequestAllocationResult, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  return [
    ...validateRequestRef(result.request ?? '', names, path.child('request')),
    ...validateCsiDriverName(result.driver, path.child('driver')),
    ...validatePoolName(result.pool, path.child('pool')),
    ...validateDnsLabel(result.device ?? '', path.child('device')),
    ...validateBindingConditions(result.bindingConditions, result.bindingFailureConditions, path),
    ...(result.shareID === undefined ? [] : validateShareId(result.shareID, path.child('shareID'))),
  ];
}

function validateDeviceStatus(device: V1AllocatedDeviceStatus, allocated: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors = [
    ...validateCsiDriverName(device.driver, path.child('driver')),
    ...validatePoolName(device.pool, path.child('pool')),
    ...validateDnsLabel(device.device ?? '', path.child('device')),
    ...(device.shareID === undefined ? [] : validateShareId(device.shareID, path.child('shareID'))),
  ];
  if (!allocated.has(deviceKey(device))) errors.push(invalid(path, shownDevice(device), 'must be an allocated device in the claim'));
  const conditions = device.conditions ?? [];
  if (conditions.length > MAX_CONDITIONS) errors.push(tooMany(path.child('conditions'), conditions.length, MAX_CONDITIONS));
  errors.push(...validateConditions(conditions, path.child('conditions')));
  if (device.data !== undefined) errors.push(...validateRawObject(device.data, MAX_DATA, path.child('data')));
  return [...errors, ...validateNetworkData(device.networkData, path.child('networkData'))];
}

function validateNetworkData(data: V1NetworkDeviceData | undefined, path: FieldPath): FieldError[] {
  if (data === undefined) return [];
  const limit = (field: 'interfaceName' | 'hardwareAddress', max: number): FieldError[] =>
    byteLength(data[field] ?? '') > max ? [tooLong(path.child(field), max)] : [];
  return [
    ...limit('interfaceName', MAX_INTERFACE_NAME),
    ...limit('hardwareAddress', MAX_HARDWARE_ADDRESS),
    ...validateSet(data.ips, MAX_IPS, validateInterfaceAddress, (ip) => ip, path.child('ips')),
  ];
}
