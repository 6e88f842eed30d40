import { forbidden, invalid, quote, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { qualifiedName } from './labels.js';

/** Rules of `metadata.finalizers`: all errors are at `path` itself. */
export const ORPHAN_DEPENDENTS = 'orphan';
export const FOREGROUND_DELETION = 'foregroundDeletion';

export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (finalizers === undefined) return errors;
  for (const finalizer of finalizers) errors.push(...validateFinalizerName(finalizer, path));
  if (finalizers.includes(ORPHAN_DEPENDENTS) && finalizers.includes(FOREGROUND_DELETION)) {
    errors.push(invalid(path, finalizers, `finalizer ${ORPHAN_DEPENDENTS} and ${FOREGROUND_DELETION} cannot be both set`));
  }
  return errors;
}

export function validateFinalizerName(finalizer: string, path: FieldPath): FieldError[] {
  return qualifiedName(finalizer).map((message) => invalid(path, finalizer, message));
}

/** An object that is being deleted takes no new finalizers. */
export function validateNoNewFinalizers(finalizers: readonly string[] | undefined, old: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const added = [...new Set(finalizers ?? [])].filter((finalizer) => !(old ?? []).includes(finalizer)).sort();
  if (added.length === 0) return [];
  const list = added.map(quote).join(', ');
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`)];
}
