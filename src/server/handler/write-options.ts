import { forbidden, invalid, notSupported, required, type FieldError } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { validateFieldManager } from '../../api/meta/validation/managed-fields.js';
import { badRequestError, invalidError } from '../../api/status-error.js';
import type { IncludeObject } from '../registry/table-view.js';
import { EMPTY_QUERY } from './parse-request-info.js';
import { booleanParam } from './query-values.js';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** `CreateOptions`, `UpdateOptions` or `PatchOptions`. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
  /** As admission sees them. */
  readonly raw: Readonly<Record<string, unknown>>;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

const DEFAULTS: Readonly<Record<OptionsKind, WriteOptions>> = {
  CreateOptions: { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined, raw: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' } },
  UpdateOptions: { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined, raw: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' } },
  PatchOptions: { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined, raw: { kind: 'PatchOptions', apiVersion: 'meta.k8s.io/v1' } },
};

/** Reads the options of a write from the query; throws a 422 `Status` for wrong ones. `apply`: a server-side apply. */
export function writeOptions(kind: OptionsKind, query: URLSearchParams, apply = false): WriteOptions {
  if (query === EMPTY_QUERY && !apply) return DEFAULTS[kind];
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = booleanParam(query, 'force');
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions') {
    if (apply && fieldManager === '') errors.push(required(FieldPath.of('fieldManager'), 'is required for apply patch'));
    if (!apply && force !== undefined) errors.push(forbidden(FieldPath.of('force'), 'may not be specified for non-apply patch'));
  }
  errors.push(...validateFieldManager(fieldManager, FieldPath.of('fieldManager')), ...dryRunErrors(dryRun));
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.push(notSupported(FieldPath.of('fieldValidation'), fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
    raw: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === '' ? {} : { fieldValidation }),
      ...(force === undefined ? {} : { force }),
    },
  };
}

/** Only `All` is a dry run. */
export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported(FieldPath.of('dryRun'), dryRun, ['All'])];
}

/** `includeObject` of tables; throws a 400 `Status` for an unknown value. */
export function includeObjectOption(query: URLSearchParams): IncludeObject {
  const value = query === EMPTY_QUERY ? null : query.get('includeObject');
  if (value === null || value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  const error = invalid(FieldPath.of('includeObject'), value, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequestError(`Unable to convert to Table as requested: ${error.field}: ${error.message}`);
}
