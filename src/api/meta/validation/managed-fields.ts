import type { V1ManagedFieldsEntry } from '../../generated/types.js';
import { badValueText, invalid, invalidText, tooLong, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { byteLength } from './messages.js';

/** Rules of `metadata.managedFields` and of the `fieldManager` parameter (at most 128 bytes, printable). */
export function validateManagedFields(entries: readonly V1ManagedFieldsEntry[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  (entries ?? []).forEach((entry, i) => {
    const at = path.index(i);
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') errors.push(invalid(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') errors.push(invalid(at.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    errors.push(...validateFieldManager(entry.manager ?? '', at.child('manager')));
    if (byteLength(entry.subresource ?? '') > 256) errors.push(tooLong(at.child('subresource'), 256));
  });
  return errors;
}

/** No answer has room for more errors that each show the whole name. */
const MAX_INVALID_CHARACTERS = 1000;

/** Printable without a closer look. */
const PLAIN = /^[ -~]*$/;

export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (byteLength(manager) > 128) errors.push(tooLong(path, 128));
  if (PLAIN.test(manager)) return errors;
  const text = badValueText(manager);
  let position = 0;
  for (const character of manager) {
    const code = character.codePointAt(0)!;
    // Letters, marks, numbers, punctuation, symbols and the ASCII space are printable in Go's sense.
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      const hex = code.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidText(path, text, `invalid character U+${hex} (at position ${position})`));
      if (errors.length >= MAX_INVALID_CHARACTERS) break;
    }
    position += byteLength(character);
  }
  return errors;
}
