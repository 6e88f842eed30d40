import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';

/** Rules of file paths inside volumes and mounts. */
const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

/** No `..` as an element. */
export function checkNoBacksteps(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value.includes('..') && value.split('/').includes('..')) errors.push(invalid(path, value, "must not contain '..'"));
}

/** Relative, and no `..` as an element. */
export function checkDescendingPath(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value.startsWith('/')) errors.push(invalid(path, value, 'must be a relative path'));
  checkNoBacksteps(value, path, errors);
}

/** As {@link checkDescendingPath}, and not one of the names that begin with `..` (the atomic writer of volumes uses them). */
export function checkNonReservedPath(value: string, path: FieldPath, errors: FieldError[]): void {
  checkDescendingPath(value, path, errors);
  if (value.startsWith('..') && !value.startsWith('../')) errors.push(invalid(path, value, "must not start with '..'"));
}

/** 0 to 0777. */
export function checkFileMode(mode: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(path, mode, FILE_MODE));
}
