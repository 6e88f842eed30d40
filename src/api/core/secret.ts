import type { Draft } from '../draft.js';
import type { V1Secret } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { configMapKey } from '../meta/validation/text.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { jsonObjectProblem } from './validation/json-object.js';
import { keyPairProblem } from './validation/key-pair.js';

/** Bytes of all values together. */
export const MAX_SECRET_SIZE = 1024 * 1024;

const DATA = FieldPath.of('data');
const IMMUTABLE_SET = 'field is immutable when `immutable` is set';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export const secret = defineKind<V1Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  tracksGeneration: false,
  defaults,
  validate,
  validateUpdate,
  warnings: (object) => {
    if (object.type !== 'kubernetes.io/tls') return [];
    const problem = keyPairProblem(decoded(object, 'tls.crt'), decoded(object, 'tls.key'));
    return problem === undefined ? [] : [problem];
  },
  selectableFields: { type: (object) => object.type ?? '' },
  columns: [
    NAME,
    text('Type', (object) => object.type ?? ''),
    text('Data', (object) => Object.keys(object.data ?? {}).length),
    AGE,
  ],
});

function defaults(draft: Draft<V1Secret>): void {
  draft.type ||= 'Opaque';
  const { stringData } = draft;
  if (stringData === undefined) return;
  const data = (draft.data ??= {});
  for (const key of Object.keys(stringData)) data[key] = Buffer.from(stringData[key]!, 'utf8').toString('base64');
  delete draft.stringData;
}

function validate(object: V1Secret): FieldError[] {
  const errors: FieldError[] = [];
  const data = object.data ?? {};
  let size = 0;
  for (const key of Object.keys(data)) {
    for (const message of configMapKey(key)) errors.push(invalid(DATA.key(key), key, message));
    size += Buffer.byteLength(data[key]!, 'base64');
  }
  if (size > MAX_SECRET_SIZE) errors.push(tooLong(DATA, MAX_SECRET_SIZE));
  errors.push(...validateType(object));
  return errors;
}

/** What each type of secret must hold. */
function validateType(object: V1Secret): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => object.data?.[key] === undefined).map((key) => required(DATA.key(key)));
  switch (object.type) {
    case 'kubernetes.io/service-account-token':
      return object.metadata?.annotations?.[ACCOUNT_NAME] ? [] : [required(FieldPath.of('metadata', 'annotations').key(ACCOUNT_NAME))];
    case 'kubernetes.io/dockercfg':
      return validateJson(object, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJson(object, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const absent = missing('username', 'password');
      return absent.length === 2 ? absent : [];
    }
    case 'kubernetes.io/ssh-auth':
      return object.data?.['ssh-privatekey'] ? [] : [required(DATA.key('ssh-privatekey'))];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJson(object: V1Secret, key: string): FieldError[] {
  if (object.data?.[key] === undefined) return [required(DATA.key(key))];
  const problem = jsonObjectProblem(decoded(object, key));
  return problem === undefined ? [] : [invalid(DATA.key(key), '<secret contents redacted>', problem)];
}

function validateUpdate(object: V1Secret, old: V1Secret): FieldError[] {
  const errors = validateImmutable(object.type, old.type, FieldPath.of('type'));
  if (old.immutable === true) {
    if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), IMMUTABLE_SET));
    if (!deepEqual(object.data, old.data)) errors.push(forbidden(DATA, IMMUTABLE_SET));
  }
  errors.push(...validateBuiltInMeta(object.metadata, { namespaced: true }), ...validate(object));
  return errors;
}

function decoded(object: V1Secret, key: string): string {
  return Buffer.from(object.data?.[key] ?? '', 'base64').toString('utf8');
}
