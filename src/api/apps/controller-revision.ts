import type { V1ControllerRevision } from '../generated/types.js';
import { controllerOf } from '../helpers/owner-references.js';
import { required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { parseApiVersion } from '../meta/object.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const DATA = FieldPath.of('data');

function validateRevision(object: V1ControllerRevision): FieldError[] {
  return validateNonnegative(object.revision, FieldPath.of('revision'));
}

function validateCreate(object: V1ControllerRevision): FieldError[] {
  const errors = validateRevision(object);
  if (object.data === undefined || object.data === null) errors.push(required(DATA, 'data is mandatory'));
  else if (typeof object.data !== 'object' || Array.isArray(object.data)) errors.push(required(DATA, 'data must be a valid JSON object'));
  return errors;
}

/** The kind and name of what the revision belongs to: `statefulset.apps/web`. */
function controllerText(object: V1ControllerRevision): string {
  const owner = controllerOf(object);
  if (!owner) return '<none>';
  const group = parseApiVersion(owner.apiVersion)?.group ?? '';
  return `${`${owner.kind}${group === '' ? '' : `.${group}`}`.toLowerCase()}/${owner.name}`;
}

export const controllerRevision = defineKind<V1ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  tracksGeneration: false,
  validate: validateCreate,
  validateUpdate: (object, old) => [
    ...validateBuiltInMeta(object.metadata, { namespaced: true }),
    ...validateRevision(object),
    ...validateImmutable(object.data, old.data, DATA),
  ],
  columns: [NAME, text('Controller', controllerText), text('Revision', (object) => object.revision ?? 0), AGE],
});
