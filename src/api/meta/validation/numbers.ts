import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { maxCharactersMessage, NEGATIVE_MESSAGE, OK, rangeMessage, type Messages } from './messages.js';

/** Numbers: non-negative, ranges, ports and their names, ids of users and groups. */
export function validateNonnegative(value: number | undefined, path: FieldPath): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, NEGATIVE_MESSAGE)] : [];
}

export function validatePositive(value: number, path: FieldPath): FieldError[] {
  return value <= 0 ? [invalid(path, value, 'must be greater than zero')] : [];
}

export function inRange(value: number, low: number, high: number): Messages {
  return value >= low && value <= high ? OK : [rangeMessage(low, high)];
}

/** 1 to 65535. */
export function portNumber(port: number): Messages {
  return inRange(port, 1, 65535);
}

/** 0 to 2^31-1. */
export function userId(id: number): Messages {
  return inRange(id, 0, 2147483647);
}

/** 0 to 2^31-1. */
export function groupId(id: number): Messages {
  return inRange(id, 0, 2147483647);
}

/** An IANA service name: at most 15 characters (RFC 6335). */
export function portName(name: string): Messages {
  const messages: string[] = [];
  if (name.length > 15) messages.push(maxCharactersMessage(15));
  if (!/^[-a-z0-9]+$/.test(name)) messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) messages.push('must contain at least one letter (a-z)');
  if (name.includes('--')) messages.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages.length === 0 ? OK : messages;
}

/** A number or the name of a port, as probes and services have it. */
export function validatePortNumberOrName(port: number | string | undefined, path: FieldPath): FieldError[] {
  const value = port ?? 0;
  const messages = typeof value === 'number' ? portNumber(value) : portName(value);
  return messages.map((message) => invalid(path, value, message));
}
