import type { V1MatchCondition } from '../generated/types.js';
import { duplicate, required, tooMany, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { validateLabelName } from '../meta/validation/labels.js';

const MAX = 64;

/** Rules of CEL conditions: their names and number. The expressions themselves are compiled where they are used. */
export function validateMatchConditions(conditions: readonly V1MatchCondition[] | undefined, path: FieldPath): FieldError[] {
  const list = conditions ?? [];
  const errors: FieldError[] = list.length > MAX ? [tooMany(path, list.length, MAX)] : [];
  const names = new Set<string>();
  list.forEach(({ name = '', expression = '' }, i) => {
    const at = path.index(i);
    if (expression.trim() === '') errors.push(required(at.child('expression')));
    errors.push(...(name === '' ? [required(at.child('name'))] : validateLabelName(name, at.child('name'))));
    if (name !== '' && names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  });
  return errors;
}
