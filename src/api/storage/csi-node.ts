import type { V1CSINode, V1CSINodeDriver } from '../generated/types.js';
import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { validateLabelName } from '../meta/validation/labels.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { AGE, integer, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const DRIVERS = FieldPath.of('spec', 'drivers');
const MAX_NODE_ID = 256;

export const csiNode = defineKind<V1CSINode>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  tracksGeneration: false,
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (object, old) => [...validate(object), ...validateDriversUpdate(object, old)],
  columns: [NAME, integer('Drivers', (object) => object.spec?.drivers?.length ?? 0), AGE],
});

function validate(object: V1CSINode): FieldError[] {
  const names = new Set<string>();
  return (object.spec?.drivers ?? []).flatMap((driver, i) => {
    const path = DRIVERS.index(i);
    const errors = validateDriver(driver, path);
    const name = driver.name ?? '';
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
    return [...errors, ...validateTopologyKeys(driver.topologyKeys ?? [], path)];
  });
}

function validateDriver(driver: V1CSINodeDriver, path: FieldPath): FieldError[] {
  const { name, nodeID = '', allocatable } = driver;
  const errors = validateCsiDriverName(name, path.child('name'));
  if (nodeID === '') errors.push(required(path.child('nodeID')));
  if (nodeID.length > MAX_NODE_ID) errors.push(invalid(path.child('nodeID'), nodeID, `must be ${MAX_NODE_ID} characters or less`));
  return [...errors, ...validateNonnegative(allocatable?.count, path.child('allocatable', 'count'))];
}

function validateTopologyKeys(keys: readonly string[], path: FieldPath): FieldError[] {
  return keys.flatMap((key, i) => [
    ...(key === '' ? [required(path)] : []),
    ...(keys.indexOf(key) < i ? [duplicate(path, key)] : []),
    ...validateLabelName(key, path),
  ]);
}

/** A registered driver keeps everything but its capacity. */
function validateDriversUpdate(object: V1CSINode, old: V1CSINode): FieldError[] {
  return (old.spec?.drivers ?? []).flatMap((before) =>
    (object.spec?.drivers ?? []).filter((driver) => driver.name === before.name).flatMap((driver) => {
      if (deepEqual({ ...driver, allocatable: undefined }, { ...before, allocatable: undefined })) return [];
      const shown = { Name: driver.name, NodeID: driver.nodeID ?? '', TopologyKeys: driver.topologyKeys ?? null, Allocatable: null };
      return [invalid(DRIVERS, shown, IMMUTABLE_MESSAGE)];
    }));
}
