import type { V1ConfigMap } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, invalid, tooLong, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { byteLength } from '../meta/validation/messages.js';
import { configMapKey } from '../meta/validation/text.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { MAX_SECRET_SIZE } from './secret.js';

const DATA = FieldPath.of('data');
const BINARY = FieldPath.of('binaryData');
const IMMUTABLE_SET = 'field is immutable when `immutable` is set';

export const configMap = defineKind<V1ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  tracksGeneration: false,
  validate,
  validateUpdate,
  columns: [NAME, text('Data', (object) => Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length), AGE],
});

function validate(object: V1ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  const { data = {}, binaryData = {} } = object;
  let size = 0;
  for (const key of Object.keys(data)) {
    for (const message of configMapKey(key)) errors.push(invalid(DATA.key(key), key, message));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(DATA.key(key), key, 'duplicate of key present in binaryData'));
    size += byteLength(data[key]!);
  }
  for (const key of Object.keys(binaryData)) {
    for (const message of configMapKey(key)) errors.push(invalid(BINARY.key(key), key, message));
    size += Buffer.byteLength(binaryData[key]!, 'base64');
  }
  // Upstream names no field here.
  if (size > MAX_SECRET_SIZE) errors.push({ ...tooLong(FieldPath.root, MAX_SECRET_SIZE), field: '' });
  return errors;
}

function validateUpdate(object: V1ConfigMap, old: V1ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable === true) {
    if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), IMMUTABLE_SET));
    if (!deepEqual(object.data, old.data)) errors.push(forbidden(DATA, IMMUTABLE_SET));
    if (!deepEqual(object.binaryData, old.binaryData)) errors.push(forbidden(BINARY, IMMUTABLE_SET));
  }
  errors.push(...validateBuiltInMeta(object.metadata, { namespaced: true }), ...validate(object));
  return errors;
}
