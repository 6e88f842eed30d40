import { notSupported, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** Fields whose value is one of a set. */
export interface EnumOptions {
  /** What an absent or empty value means. Default: it is like any other bad value (`Unsupported value: ""`). */
  readonly empty?: 'required' | 'allowed';
}

/** `value` must be one of `values`. */
export function validateEnum(value: string | undefined, values: readonly string[], path: FieldPath, options: EnumOptions = {}): FieldError[] {
  if (value === undefined || value === '') {
    if (options.empty === 'allowed') return [];
    if (options.empty === 'required') return [required(path)];
  }
  return values.includes(value ?? '') ? [] : [notSupported(path, value ?? '', values)];
}
