import { quote, type FieldError } from '../../api/meta/field-error.js';
import type { FieldPath } from '../../api/meta/field-path.js';

/** Like `notSupported`, for options whose values upstream lists in an order of its own. */
export function notSupportedInOrder(path: FieldPath, value: string, values: readonly string[]): FieldError {
  return { type: 'FieldValueNotSupported', field: path.toString(), message: `Unsupported value: ${quote(value)}: supported values: ${values.map(quote).join(', ')}` };
}
