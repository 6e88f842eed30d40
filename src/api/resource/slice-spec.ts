import type { V1CounterSet, V1ResourcePool, V1ResourceSliceSpec } from '../generated/types.js';
import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { validateNodeSelector } from '../core/validation/node-selector.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { validatePoolName } from './device-names.js';
import { validateDevice } from './device.js';
import { validateMap, validateSet } from './lists.js';

const SPEC = FieldPath.of('spec');
const MAX_DEVICES = 128;
const MAX_DEVICES_WITH_EXTRAS = 64;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;
const ONE_OF = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

export function validateSliceSpec(spec: V1ResourceSliceSpec | undefined, before: V1ResourceSliceSpec | undefined): FieldError[] {
  const errors = [...validateCsiDriverName(spec?.driver, SPEC.child('driver')), ...validatePool(spec?.pool)];
  if (before !== undefined) {
    errors.push(...validateImmutable(spec?.pool?.name, before.pool?.name, SPEC.child('pool', 'name')));
    errors.push(...validateImmutable(spec?.driver, before.driver, SPEC.child('driver')));
    errors.push(...validateImmutable(spec?.nodeName, before.nodeName, SPEC.child('nodeName'), null));
  }
  errors.push(...validateNodes(spec ?? {}));
  if (spec?.sharedCounters !== undefined && spec.devices !== undefined) errors.push(invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed'));
  const devices = spec?.devices ?? [];
  const max = devices.some((device) => (device.taints?.length ?? 0) > 0 || (device.consumesCounters?.length ?? 0) > 0) ? MAX_DEVICES_WITH_EXTRAS : MAX_DEVICES;
  const oldDevices = new Map((before?.devices ?? []).map((device) => [device.name, device]));
  const perDevice = spec?.perDeviceNodeSelection === true;
  errors.push(...validateSet(devices, max, (device, path) => {
    const old = oldDevices.get(device.name);
    return validateDevice(device, { perDeviceNodes: perDevice, checkTaints: old === undefined || !deepEqual(old.taints, device.taints) }, path);
  }, ({ name }) => name ?? '', SPEC.child('devices')));
  errors.push(...validateSet(spec?.sharedCounters, MAX_COUNTER_SETS, validateCounterSet, ({ name }) => name ?? '', SPEC.child('sharedCounters')));
  return errors;
}

function validatePool(pool: V1ResourcePool | undefined): FieldError[] {
  const path = SPEC.child('pool');
  const { resourceSliceCount: count = 0, generation = 0 } = pool ?? {};
  return [
    ...validatePoolName(pool?.name, path.child('name')),
    ...(count <= 0 ? [invalid(path.child('resourceSliceCount'), count, 'must be greater than zero')] : []),
    ...(generation < 0 ? [invalid(path.child('generation'), generation, 'must be greater than or equal to zero')] : []),
  ];
}

function validateNodes(spec: Partial<V1ResourceSliceSpec>): FieldError[] {
  const { nodeName, nodeSelector } = spec;
  const errors: FieldError[] = [];
  const given: string[] = [];
  if (nodeName === '') errors.push(invalid(SPEC.child('nodeName'), '', 'must be either unset or set to a non-empty string'));
  else if (nodeName !== undefined) {
    given.push('`nodeName`');
    errors.push(...validateDnsSubdomain(nodeName, SPEC.child('nodeName')));
  }
  if (nodeSelector !== undefined) {
    given.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, SPEC.child('nodeSelector')));
    if (nodeSelector.nodeSelectorTerms?.length !== 1) {
      errors.push(invalid(SPEC.child('nodeSelector', 'nodeSelectorTerms'), nodeSelector.nodeSelectorTerms, 'must have exactly one node selector term'));
    }
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[field] === true) given.push(`\`${field}\``);
    else if (spec[field] === false) errors.push(invalid(SPEC.child(field), false, 'must be either unset or set to true'));
  }
  if (given.length === 0) errors.push(required(SPEC, ONE_OF));
  if (given.length > 1) errors.push(invalid(SPEC, `{${given.join(', ')}}`, `${ONE_OF}, but multiple fields are set`));
  return errors;
}

function validateCounterSet({ name, counters }: V1CounterSet, path: FieldPath): FieldError[] {
  return [
    ...(name ? validateDnsLabel(name, path.child('name')) : [required(path.child('name'))]),
    ...(Object.keys(counters ?? {}).length === 0
      ? [required(path.child('counters'))]
      : validateMap(counters, MAX_COUNTERS, validateDnsLabel, () => [], path.child('counters'))),
  ];
}
