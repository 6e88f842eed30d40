import type { V1JSONSchemaProps } from '../../generated/types.js';
import type { Outcome } from './outcome.js';

const LARGEST_FLOAT = 3.4028234663852886e38;

/** Rules of numbers. `type` is empty where it is not one alone. */
export function validateNumber(schema: V1JSONSchemaProps, type: string, format: string, value: number, path: string, outcome: Outcome): void {
  const { exclusiveMaximum, exclusiveMinimum } = schema;
  // Upstream compares whole numbers with whole numbers, whatever the rule says.
  const bound = (limit: number | undefined): number | undefined => (limit === undefined || !Number.isInteger(value) ? limit : Math.trunc(limit));
  const [multipleOf, maximum, minimum] = [bound(schema.multipleOf), bound(schema.maximum), bound(schema.minimum)];
  const say = (message: string): void => void outcome.problems.push({ type: 'invalid', path, value, message: `${path} in body ${message}` });
  const range = rangeProblem(value, type, format, path);
  if (range !== undefined) outcome.problems.push({ type: 'plain', path, message: range });
  if (multipleOf !== undefined) {
    if (multipleOf <= 0) outcome.problems.push({ type: 'invalid', path, value: multipleOf, message: `factor MultipleOf declared for ${path} must be positive: ${multipleOf}` });
    else if (!isMultiple(value, multipleOf)) say(`should be a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) say(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) say(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times - Math.round(times)) <= Math.max(1, Math.abs(times)) * 1e-9;
}

function rangeProblem(value: number, type: string, format: string, path: string): string | undefined {
  const described = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
  const fits =
    type === 'integer'
      ? Number.isInteger(value) && (format === 'int32' ? value >= -2147483648 && value <= 2147483647 : Math.abs(value) < 2 ** 63)
      : format !== 'float' || Math.abs(value) <= LARGEST_FLOAT;
  return fits ? undefined : `Checked value must be of type ${described} in ${path}`;
}
