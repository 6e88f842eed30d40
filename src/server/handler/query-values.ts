import { quote } from '../../api/meta/field-error.js';
import { badRequestError, type StatusError } from '../../api/status-error.js';

/** A boolean query parameter: absent is undefined; everything but `false` and `0` is true. */
export function booleanParam(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

/** An integer query parameter; throws a 400 `Status` in Go's words. Empty counts as absent. */
export function integerParam(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(value)) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw badRequestError(`strconv.ParseInt: parsing ${quote(value)}: value out of range`);
  return number;
}

/** A revision as text: empty or a number; undefined when it is neither. */
export function parseRevision(text: string): number | undefined {
  if (text === '') return 0;
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** 400 for a revision that is none, in Go's words; upstream's store puts `prefix` before them, its cache does not (and has no status for it: 500). */
export function invalidRevisionError(text: string, prefix: '' | 'invalid resource version: ' = ''): StatusError {
  const why = /^[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return badRequestError(`${prefix}resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${why}`);
}
