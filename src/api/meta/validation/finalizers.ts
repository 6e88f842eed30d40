import { forbidden, invalid, quote, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { qualifiedName } from './labels.js';

/** Rules of `metadata.finalizers`: all errors are at `path` itself. */
export const ORPHAN_DEPENDENTS = 'orphan';
export const FOREGROUND_DELETION = 'foregroundDeletion';

const STANDARD = new Set(['kubernetes', ORPHAN_DEPENDENTS, FOREGROUND_DELETION]);

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

/** Built-in kinds take only finalizers with a domain, and the standard ones. Errors are at the elements. */
export function validateKubeFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  (finalizers ?? []).forEach((finalizer, i) => {
    if (!finalizer.includes('/') && !STANDARD.has(finalizer)) {
      errors.push(invalid(path.index(i), finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
    }
  });
  return errors;
}

/** An object that is being deleted takes no new finalizers. */
export function validateNoNewFinalizers(finalizers: readonly string[] | undefined, old: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const present = new Set(old);
  const added = [...new Set(finalizers)].filter((finalizer) => !present.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = added.map(quote).join(', ');
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`)];
}
