import type { FieldPath } from './field-path.js';
import { shown, shownJson } from './shown-text.js';

/** `reason` of a `Status` cause, as on the wire. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** One violated rule of one field; becomes a cause of a 422 `Status`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** The whole text of the cause, e.g. `Invalid value: "x": must be …`. */
  readonly message: string;
}

const LABEL: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

function make(type: FieldErrorType, path: FieldPath, value: string | undefined, detail: string): FieldError {
  let message = LABEL[type];
  if (value !== undefined) message += `: ${value}`;
  if (detail !== '') message += `: ${detail}`;
  return { type, field: path.toString(), message };
}

/** A bad value as upstream prints it: strings quoted, numbers and booleans bare, objects as JSON, nil as `null`. Very long ones are cut off. */
export function badValueText(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return quote(value);
  return shownJson(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

/** A string in double quotes with Go's `%q` escapes, for messages: a very long one is cut off. */
export function quote(text: string): string {
  return JSON.stringify(shown(text)).replace(/\\u0000/g, '\\x00').replace(/\\u00([01][0-9a-f])/g, '\\x$1').replace(/\u007f/g, '\\x7f');
}

export const required = (path: FieldPath, detail = ''): FieldError => make('FieldValueRequired', path, undefined, detail);
export const notFound = (path: FieldPath, value: unknown): FieldError => make('FieldValueNotFound', path, badValueText(value), '');
export const duplicate = (path: FieldPath, value: unknown): FieldError => make('FieldValueDuplicate', path, badValueText(value), '');
/** Stands for a bad value that the message leaves out. */
export const OMITTED = Symbol('omitted');
export const invalid = (path: FieldPath, value: unknown, detail: string): FieldError =>
  make('FieldValueInvalid', path, value === OMITTED ? undefined : badValueText(value), detail);
/** {@link invalid} for a value of which there is the {@link badValueText} already. */
export const invalidText = (path: FieldPath, valueText: string, detail: string): FieldError => make('FieldValueInvalid', path, valueText, detail);
export const typeInvalid = (path: FieldPath, value: unknown, detail: string): FieldError => make('FieldValueTypeInvalid', path, badValueText(value), detail);
export const forbidden = (path: FieldPath, detail: string): FieldError => make('FieldValueForbidden', path, undefined, detail);
export const tooLong = (path: FieldPath, maxBytes: number): FieldError =>
  make('FieldValueTooLong', path, undefined, `may not be more than ${maxBytes} byte${maxBytes === 1 ? '' : 's'}`);
export const tooLongCharacters = (path: FieldPath, max: number): FieldError =>
  make('FieldValueTooLong', path, undefined, `may not be more than ${max} character${max === 1 ? '' : 's'}`);
export const tooShort = (path: FieldPath, min: number): FieldError =>
  make('FieldValueTooShort', path, undefined, `must be at least ${min} character${min === 1 ? '' : 's'}`);
export const tooFew = (path: FieldPath, actual: number, min: number): FieldError =>
  make('FieldValueTooFew', path, String(actual), `must have at least ${min} item${min === 1 ? '' : 's'}`);
export const tooMany = (path: FieldPath, actual: number, max: number): FieldError =>
  make('FieldValueTooMany', path, String(actual), `must have at most ${max} item${max === 1 ? '' : 's'}`);
export const internal = (path: FieldPath, detail: string): FieldError => make('InternalError', path, undefined, detail);

/** `values` are the supported ones, sorted and quoted in the message. */
export function notSupported(path: FieldPath, value: unknown, values: readonly string[]): FieldError {
  const list = [...values].sort().map(quote).join(', ');
  return make('FieldValueNotSupported', path, badValueText(value), values.length > 0 ? `supported values: ${list}` : '');
}

/** As {@link notSupported}, with the supported values in the order given: where upstream lists them by hand. */
export function notSupportedInOrder(path: FieldPath, value: unknown, values: readonly string[]): FieldError {
  return make('FieldValueNotSupported', path, badValueText(value), `supported values: ${values.map(quote).join(', ')}`);
}

/** The error with more detail at the end of its message. */
export function withDetail(error: FieldError, detail: string): FieldError {
  return { ...error, message: `${error.message}: ${detail}` };
}
