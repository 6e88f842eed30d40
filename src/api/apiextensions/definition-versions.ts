import type { V1CustomResourceColumnDefinition, V1CustomResourceDefinitionVersion, V1CustomResourceSubresources } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1035Label } from '../meta/validation/names.js';
import { validateSchemaInSteps } from './schema-validation.js';
import { validateSelectableFields } from './selectable-fields.js';

type Version = V1CustomResourceDefinitionVersion;

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_WARNING = 256;

/**
 * Rules of the versions of a definition. What is the same in all versions (subresources, columns) is
 * reported once, below `spec` itself, as upstream's older form has it there. Schemas are checked step by step. `old`: the versions before; `preserves`:
 * `spec.preserveUnknownFields`.
 */
export function* validateVersions(given: readonly Version[] | undefined, path: FieldPath, old: readonly Version[] | undefined, preserves: boolean): Generator<void, FieldError[]> {
  const versions = given ?? [];
  let errors: FieldError[] = [];
  const at = path.child('versions');
  const same = (field: keyof Version): boolean => versions.every((version) => deepEqual(version[field], versions[0]![field]));
  const sharedSubresources = versions.length > 0 && same('subresources');
  const sharedSchema = versions.length > 0 && same('schema');
  const sharedFields = sharedSchema && same('selectableFields');
  const before = old?.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  const schemaErrors = function* ({ schema, subresources }: Version, at: FieldPath): Generator<void, FieldError[]> {
    if (!schema?.openAPIV3Schema) return [];
    return yield* validateSchemaInSteps(schema.openAPIV3Schema, subresources?.status !== undefined, at.child('openAPIV3Schema'), before ? { before, preserves } : {});
  };
  const sharedColumns = versions.length > 0 && same('additionalPrinterColumns');
  versions.forEach((version, i) => {
    if (version.schema?.openAPIV3Schema === undefined) errors.push(required(at.index(i).child('schema', 'openAPIV3Schema')));
  });
  for (const [i, version] of versions.entries()) {
    const wrong = dns1035Label(version.name ?? '');
    if (wrong.length > 0) errors.push(invalid(at.index(i).child('name'), version.name ?? '', wrong.join(',')));
    for (const problem of warningProblems(version)) errors.push(invalid(at.index(i).child('deprecationWarning'), version.deprecationWarning, problem));
    if (!sharedSubresources) errors.push(...validateSubresources(version.subresources, at.index(i).child('subresources')));
    if (!sharedColumns) errors.push(...validateColumns(version.additionalPrinterColumns, at.index(i).child('additionalPrinterColumns')));
    // There may be more errors than a call can have arguments.
    if (!sharedSchema) errors = [...errors, ...yield* schemaErrors(version, at.index(i).child('schema'))];
    if (!sharedFields) errors.push(...validateSelectableFields(version, at.index(i).child('selectableFields')));
  }
  const first = versions[0]?.name ?? '';
  const wrong = first === '' ? [] : dns1035Label(first);
  if (wrong.length > 0) errors.push(invalid(path.child('version'), first, wrong.join(',')));
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) errors.push(invalid(at, shown(versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1) errors.push(invalid(at, shown(given), 'must have exactly one version marked as storage version'));
  if (sharedSchema) errors = [...errors, ...yield* schemaErrors(versions[0]!, path.child('validation'))];
  if (sharedSubresources) errors.push(...validateSubresources(versions[0]!.subresources, path.child('subresources')));
  if (sharedColumns) errors.push(...validateColumns(versions[0]!.additionalPrinterColumns, path.child('additionalPrinterColumns')));
  if (sharedFields) errors.push(...validateSelectableFields(versions[0]!, path.child('selectableFields')));
  return errors;
}

/** The versions as upstream's errors print them. */
function shown(versions: readonly Version[] | undefined): unknown {
  return versions?.map(({ name, served, storage, deprecated, deprecationWarning }) => ({
    Name: name ?? '', Served: served ?? false, Storage: storage ?? false, Deprecated: deprecated ?? false, DeprecationWarning: deprecationWarning ?? null,
    Schema: null, Subresources: null, AdditionalPrinterColumns: null, SelectableFields: null,
  }));
}

function warningProblems(version: Version): string[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  if (version.deprecated !== true) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > MAX_WARNING) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (bad !== null) problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, bad.index))}`);
  return problems;
}

function validateSubresources(subresources: V1CustomResourceSubresources | undefined, path: FieldPath): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { labelSelectorPath = '' } = scale;
  const selector = path.child('scale.labelSelectorPath');
  const errors = [
    ...validateReplicasPath(scale.specReplicasPath, '.spec.', path.child('scale.specReplicasPath')),
    ...validateReplicasPath(scale.statusReplicasPath, '.status.', path.child('scale.statusReplicasPath')),
  ];
  if (labelSelectorPath === '') return errors;
  const wrong = validateJsonPath(labelSelectorPath, selector);
  if (wrong.length > 0) return [...errors, ...wrong];
  if (!/^\.(spec|status)\./.test(labelSelectorPath)) errors.push(invalid(selector, labelSelectorPath, 'should be a json path under either .spec or .status'));
  return errors;
}

function validateReplicasPath(value: string | undefined, prefix: string, path: FieldPath): FieldError[] {
  if (!value) return [required(path)];
  const wrong = validateJsonPath(value, path);
  if (wrong.length > 0 || value.startsWith(prefix)) return wrong;
  return [invalid(path, value, `should be a json path under ${prefix.slice(0, -1)}`)];
}

function validateJsonPath(value: string, path: FieldPath): FieldError[] {
  return value.startsWith('.') ? [] : [invalid(path, value, 'must be a simple json path starting with .')];
}

function validateColumns(columns: readonly V1CustomResourceColumnDefinition[] | undefined, path: FieldPath): FieldError[] {
  return (columns ?? []).flatMap(({ name, type = '', format = '', jsonPath = '' }, i) => {
    const at = path.index(i);
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    return [
      ...(name ? [] : [required(at.child('name'))]),
      ...(type === '' ? [required(at.child('type'), types)] : COLUMN_TYPES.includes(type) ? [] : [invalid(at.child('type'), type, types)]),
      ...(format === '' || COLUMN_FORMATS.includes(format) ? [] : [invalid(at.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`)]),
      ...(jsonPath === '' ? [required(at.child('JSONPath'))] : validateJsonPath(jsonPath, at.child('JSONPath'))),
    ];
  });
}
