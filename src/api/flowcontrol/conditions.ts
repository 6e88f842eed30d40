import { duplicate, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';

/** Conditions in `status`: each has a type, no type twice. */
export function validateStatusConditions(conditions: readonly { readonly type?: string }[] | undefined): FieldError[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap(({ type = '' }, i) => {
    const path = FieldPath.of('status', 'conditions').index(i).child('type');
    const errors: FieldError[] = seen.has(type) ? [duplicate(path, type)] : [];
    seen.add(type);
    return type === '' ? [...errors, required(path)] : errors;
  });
}
