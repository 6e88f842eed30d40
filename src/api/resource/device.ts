import type { V1Device, V1DeviceAttribute, V1DeviceCapacity, V1DeviceCounterConsumption } from '../generated/types.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { validateNodeSelector } from '../core/validation/node-selector.js';
import { forbidden, invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { byteLength } from '../meta/validation/messages.js';
import { validateBindingConditions, validateTaint } from './device-config.js';
import { validateQualifiedName } from './device-names.js';
import { validateList, validateMap, validateSet } from './lists.js';
import { validateRequestPolicy } from './request-policy.js';

const MAX_ATTRIBUTES_AND_CAPACITIES = 32;
const MAX_TAINTS = 16;
const MAX_COUNTER_CONSUMPTIONS = 2;
const MAX_COUNTERS = 32;
const MAX_VALUE = 64;
const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`);
const ONE_OF = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

export interface DeviceOptions {
  /** Each device of the slice says which nodes it is for. */
  readonly perDeviceNodes: boolean;
  /** False where the taints have not changed. */
  readonly checkTaints: boolean;
}

/** Rules of one device of a slice. */
export function validateDevice(device: V1Device, options: DeviceOptions, path: FieldPath): FieldError[] {
  const errors = validateDnsLabel(device.name ?? '', path.child('name'));
  const count = Object.keys(device.attributes ?? {}).length + Object.keys(device.capacity ?? {}).length;
  if (count > MAX_ATTRIBUTES_AND_CAPACITIES) {
    errors.push(invalid(path, count, `the total number of attributes and capacities must not exceed ${MAX_ATTRIBUTES_AND_CAPACITIES}`));
  }
  const unlimited = Number.MAX_SAFE_INTEGER;
  errors.push(...validateMap(device.attributes, unlimited, validateQualifiedName, validateAttribute, path.child('attributes')));
  const capacityRule = (capacity: V1DeviceCapacity, at: FieldPath): FieldError[] => validateCapacity(capacity, device.allowMultipleAllocations === true, at);
  errors.push(...validateMap(device.capacity, unlimited, validateQualifiedName, capacityRule, path.child('capacity')));
  if (options.checkTaints) errors.push(...validateList(device.taints, MAX_TAINTS, validateTaint, path.child('taints')));
  errors.push(...validateSet(device.consumesCounters, MAX_COUNTER_CONSUMPTIONS, validateConsumption, ({ counterSet }) => counterSet ?? '', path.child('consumesCounters')));
  errors.push(...validateNodes(device, options.perDeviceNodes, path));
  return [...errors, ...validateBindingConditions(device.bindingConditions, device.bindingFailureConditions, path)];
}

function validateNodes(device: V1Device, perDevice: boolean, path: FieldPath): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
    return [invalid(path, null, '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec')];
  }
  const errors: FieldError[] = [];
  const given: string[] = [];
  if (nodeName === '') errors.push(invalid(path.child('nodeName'), '', 'must not be empty'));
  else if (nodeName !== undefined) {
    given.push('`nodeName`');
    errors.push(...validateDnsSubdomain(nodeName, path.child('nodeName')));
  }
  if (nodeSelector !== undefined) {
    given.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, path.child('nodeSelector')));
  }
  if (allNodes === true) given.push('`allNodes`');
  else if (allNodes === false) errors.push(invalid(path.child('allNodes'), false, 'must be either unset or set to true'));
  if (given.length === 0) errors.push(required(path, ONE_OF));
  if (given.length > 1) errors.push(invalid(path, `{${given.join(', ')}}`, ONE_OF));
  return errors;
}

function validateConsumption({ counterSet, counters }: V1DeviceCounterConsumption, path: FieldPath): FieldError[] {
  return [
    ...(counterSet ? validateDnsLabel(counterSet, path.child('counterSet')) : [required(path.child('counterSet'))]),
    ...(Object.keys(counters ?? {}).length === 0
      ? [required(path.child('counters'))]
      : validateMap(counters, MAX_COUNTERS, validateDnsLabel, () => [], path.child('counters'))),
  ];
}

function validateAttribute(attribute: V1DeviceAttribute, path: FieldPath): FieldError[] {
  const { string, version } = attribute;
  const tooBig = (value: string, at: FieldPath): FieldError[] => (byteLength(value) > MAX_VALUE ? [tooLong(at, MAX_VALUE)] : []);
  const errors = string === undefined ? [] : tooBig(string, path.child('string'));
  if (version !== undefined) {
    if (!SEMVER.test(version)) errors.push(invalid(path.child('version'), version, 'must be a string compatible with semver.org spec 2.0.0'));
    errors.push(...tooBig(version, path.child('version')));
  }
  const given = Object.values(attribute).filter((value) => value !== undefined).length;
  if (given !== 1) errors.push(invalid(path, given === 0 ? '' : attribute, 'exactly one value must be specified'));
  return errors;
}

function validateCapacity(capacity: V1DeviceCapacity, shared: boolean, path: FieldPath): FieldError[] {
  if (capacity.requestPolicy === undefined) return [];
  const at = path.child('requestPolicy');
  return shared ? validateRequestPolicy(capacity.value, capacity.requestPolicy, at) : [forbidden(at, 'allowMultipleAllocations must be true')];
}
