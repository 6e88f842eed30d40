import { canonicalQuantity } from '../quantity.js';
import { errorMessage } from '../../base/errors.js';
import type { CheckContext } from './check-context.js';
import { decodeError } from './decode-error.js';
import { NumberLiteral } from './number-literal.js';
import type { ScalarKind, SpecialKind } from './schema.js';
import { canonicalMicroTime, canonicalTime } from './time.js';

/**
 * Brings a value (never null) into the form the API server keeps. Undefined: nothing is left of it, or it did not fit, which the context notes.
 * Throws what ends the pass at once.
 */
export type Check = (value: unknown, context: CheckContext) => unknown;

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT64 = -(1n << 63n);
const MAX_INT64 = (1n << 63n) - 1n;
const INTEGER = /^-?[0-9]+$/;

/** Checks of values that hold no other values, by kind; `goName` is for messages. */
export function scalarCheck(kind: ScalarKind, goName: string): Check {
  switch (kind) {
    case 'string':
      return (value, context) => (typeof value === 'string' ? value : context.mismatch(value, goName));
    case 'boolean':
      return (value, context) => (typeof value === 'boolean' ? value : context.mismatch(value, goName));
    case 'int32':
      return (value, context) => int32(value) ?? (context.wraps && Number.isInteger(value) ? (value as number) | 0 : context.mismatch(value, goName));
    case 'int64':
      return (value, context) => int64(value) ?? context.mismatch(value, goName);
    case 'double':
      return (value, context) => {
        const number = value instanceof NumberLiteral ? value.value : value;
        return typeof number === 'number' && Number.isFinite(number) ? number : context.mismatch(value, goName);
      };
    case 'bytes':
      return (value, context) => (typeof value === 'string' ? canonicalBase64(value, context) : context.mismatch(value, goName));
  }
}

function int32(value: unknown): number | undefined {
  const number = value instanceof NumberLiteral && INTEGER.test(value.text) ? value.value : value;
  return typeof number === 'number' && (number | 0) === number && number <= MAX_INT32 ? number : undefined;
}

function int64(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (!(value instanceof NumberLiteral) || !INTEGER.test(value.text)) return undefined;
  const exact = BigInt(value.text);
  return exact >= MIN_INT64 && exact <= MAX_INT64 ? value.value : undefined;
}

function canonicalBase64(text: string, context: CheckContext): string | undefined {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/.test(text)) return text;
  const stripped = text.replace(/[\r\n]/g, '');
  const wrong = illegalBase64(stripped);
  if (wrong >= 0) {
    context.typeError ??= decodeError(`illegal base64 data at input byte ${originalOffset(text, wrong)}`);
    return undefined;
  }
  return Buffer.from(stripped, 'base64').toString('base64');
}

/** Offset of the first byte that cannot be, as upstream's decoder counts; -1 when there is none. */
function illegalBase64(text: string): number {
  const end = text.search(/[^A-Za-z0-9+/]/);
  if (end < 0) return text.length % 4 === 0 ? -1 : text.length - (text.length % 4);
  const rest = end % 4;
  if (text[end] !== '=' || rest < 2) return end;
  let next = end + 1;
  if (rest === 2) {
    if (next === text.length) return next;
    if (text[next] !== '=') return end;
    next++;
  }
  return next < text.length ? next : -1;
}

/** Line breaks do not count as data, but as bytes. */
function originalOffset(text: string, offset: number): number {
  let seen = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\n' || text[i] === '\r') continue;
    if (seen++ === offset) return i;
  }
  return text.length;
}

/** Checks of types with their own JSON form; those that hold schemas are made elsewhere. */
export function specialCheck(kind: Exclude<SpecialKind, `schemaOr${string}`>): Check {
  switch (kind) {
    case 'quantity':
      return quantity;
    case 'time':
      return (value, context) => canonicalTime(text(value, context));
    case 'microTime':
      return (value, context) => canonicalMicroTime(text(value, context));
    case 'intOrString':
      return (value, context) => {
        if (typeof value === 'string') return value;
        const number = int32(value);
        if (number === undefined) throw context.typeMismatch(value, 'int32');
        return number;
      };
    case 'raw':
    case 'json':
      return (value) => plain(value);
  }
}

function text(value: unknown, context: CheckContext): string {
  if (typeof value !== 'string') throw context.typeMismatch(value, 'string');
  return value;
}

function quantity(value: unknown): string {
  const written = value instanceof NumberLiteral ? value.text : typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '?';
  try {
    return canonicalQuantity(written);
  } catch (error) {
    throw decodeError(errorMessage(error));
  }
}

/** The value with plain numbers; itself when it has no others. */
export function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof NumberLiteral) return value.value;
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  let copy: Record<string, unknown> | undefined;
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const item = plain(object[key]);
    if (item === object[key]) continue;
    copy ??= { ...object };
    Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
  }
  return copy ?? value;
}
