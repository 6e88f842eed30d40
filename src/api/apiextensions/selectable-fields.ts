import type { V1CustomResourceDefinitionVersion, V1JSONSchemaProps } from '../generated/types.js';
import { duplicate, invalid, required, tooMany, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';

const MAX_FIELDS = 8;
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

/** Rules of a version's selectable fields: plain paths to scalars outside `metadata`. */
export function validateSelectableFields(version: V1CustomResourceDefinitionVersion, path: FieldPath): FieldError[] {
  const fields = version.selectableFields ?? [];
  const root = version.schema?.openAPIV3Schema;
  if (fields.length === 0 || root === undefined) return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  fields.forEach(({ jsonPath = '' }, i) => {
    const at = path.index(i).child('jsonPath');
    if (jsonPath === '') return void errors.push(required(at));
    const found = resolve(jsonPath, root);
    if (typeof found === 'string') return void errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
    if (/^\.metadata(\.|$)/.test(jsonPath)) errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!SELECTABLE_TYPES.includes(found.type ?? '')) {
      errors.push(invalid(at, jsonPath, 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'));
    }
    if (seen.has(jsonPath)) errors.push(duplicate(at, jsonPath));
    seen.add(jsonPath);
  });
  if (seen.size > MAX_FIELDS) errors.push(tooMany(path, seen.size, MAX_FIELDS));
  return errors;
}

/** The schema at the end of the path, or what is wrong with the path. */
function resolve(jsonPath: string, root: V1JSONSchemaProps): V1JSONSchemaProps | string {
  const tokens = jsonPath.match(/[.[\]]|[^.[\]]+/g) ?? [];
  let schema = root;
  for (let i = 0; i < tokens.length; i += 2) {
    if (tokens[i] === '[') return 'array notation is not allowed';
    if (tokens[i] !== '.') return `expected [ or . but got: ${tokens[i]}`;
    const name = tokens[i + 1];
    if (name === undefined) return 'unexpected end of JSON path';
    const { properties, additionalProperties } = schema;
    const next = properties ? properties[name] : typeof additionalProperties === 'object' ? (additionalProperties as V1JSONSchemaProps) : undefined;
    if (next === undefined) return 'does not refer to a valid field';
    schema = next;
  }
  return schema;
}
