import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { OK, patternMessage, type Messages } from './messages.js';
import { validateNonnegative } from './numbers.js';

/** Percentages and IntOrString values (`maxSurge`, `maxUnavailable`, `minAvailable`, …). */
const PERCENT_RE = /^[0-9]+%$/;
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%');

export function percent(value: string): Messages {
  return PERCENT_RE.test(value) ? OK : [PERCENT_MESSAGE];
}

/** A number that is not negative, or a percentage. */
export function validatePositiveIntOrPercent(value: number | string | undefined, path: FieldPath): FieldError[] {
  if (typeof value === 'string') return percent(value).map((message) => invalid(path, value, message));
  return validateNonnegative(value, path);
}

/** A percentage may be at most 100; numbers pass. */
export function validateNotMoreThan100Percent(value: number | string | undefined, path: FieldPath): FieldError[] {
  const share = percentOf(value);
  return share !== undefined && share > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** 25 for `25%`; undefined for numbers and other text. */
export function percentOf(value: number | string | undefined): number | undefined {
  return typeof value === 'string' && PERCENT_RE.test(value) ? Number.parseInt(value, 10) : undefined;
}

/** The number, the digits of the percentage, or the number that other text reads as; what upstream compares with zero. 0 when absent. */
export function intOrPercentValue(value: number | string | undefined): number {
  if (typeof value === 'number') return value;
  return percentOf(value) ?? (/^[+-]?\d+$/.test(value ?? '') ? Number(value) : 0);
}

/** The count that `value` means out of `total`; a percentage is rounded up or down. Undefined for text that is no percentage. */
export function scaledValue(value: number | string, total: number, roundUp: boolean): number | undefined {
  if (typeof value === 'number') return value;
  const share = percentOf(value);
  if (share === undefined) return undefined;
  return roundUp ? Math.ceil((share * total) / 100) : Math.floor((share * total) / 100);
}
