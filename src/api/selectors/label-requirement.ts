import { invalid, notSupported, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { labelKey, labelValue } from '../meta/validation/labels.js';

/** Labels of an object; absent means none. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** How a requirement relates its key and values, as written in the text form. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

const BINARY: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];
const ALL: readonly LabelOperator[] = [...BINARY, 'exists', '!'];

/** The operators that take values, for messages. */
export const BINARY_OPERATORS_TEXT = BINARY.join(', ');

/** One condition on labels; a selector is the conjunction of several. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Empty for `exists` and `!`, one value for the comparisons. */
  readonly values: readonly string[];
}

const INTEGER = /^[-+]?[0-9]+$/;
const MAX_INT64 = (1n << 63n) - 1n;

/** What is wrong with a requirement, in upstream's words; empty when nothing is. */
export function requirementErrors({ key, operator, values }: LabelRequirement): FieldError[] {
  const errors: FieldError[] = [];
  const keyMessages = labelKey(key);
  if (keyMessages.length > 0) errors.push(invalid(FieldPath.root.child('key'), key, keyMessages.join('; ')));
  const path = FieldPath.root.child('values');
  const list = values.length === 0 ? [] : values;
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) errors.push(invalid(path, list, "for 'in', 'notin' operators, values set can't be empty"));
      break;
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1) errors.push(invalid(path, list, 'exact-match compatibility requires one single value'));
      break;
    case 'exists':
    case '!':
      if (values.length !== 0) errors.push(invalid(path, list, 'values set must be empty for exists and does not exist'));
      break;
    case 'gt':
    case 'lt':
      if (values.length !== 1) errors.push(invalid(path, list, "for 'Gt', 'Lt' operators, exactly one value is required"));
      values.forEach((value, i) => {
        if (parseInt64(value) === undefined) errors.push(invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      });
      break;
    default:
      errors.push(notSupported(FieldPath.root.child('operator'), operator, ALL));
  }
  values.forEach((value, i) => {
    const messages = labelValue(value);
    if (messages.length > 0) errors.push(invalid(path.index(i).key(key), value, messages.join('; ')));
  });
  return errors;
}

/** Whether labels satisfy one requirement. */
export function requirementMatches(requirement: LabelRequirement, labels: Labels): boolean {
  const { key, operator, values } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
      return value !== undefined && value === values[0];
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = values.length === 1 ? parseInt64(values[0]!) : undefined;
      if (left === undefined || right === undefined) return false;
      return operator === 'gt' ? left > right : left < right;
    }
  }
}

/** The text form, values sorted. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    case 'gt':
      return `${key}>${values.join(',')}`;
    case 'lt':
      return `${key}<${values.join(',')}`;
    default:
      return `${key}${operator}${values.join(',')}`;
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? undefined : value;
}
