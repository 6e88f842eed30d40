import { isIP, isIPv4 } from 'node:net';
import { Pattern } from './pattern.js';

type Test = (text: string) => boolean;

const test = (pattern: RegExp): Test => (text) => pattern.test(text);
const hostname = new Pattern(
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$',
);
/** Names of units; the longest of each may go on. */
const UNIT = /^(?:ns|us|µs|ms|[smhdw]|hr|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$/i;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Formats of strings that are checked, without the dashes in their names. Others mean nothing. */
const STRING_FORMATS: Readonly<Record<string, Test>> = {
  bsonobjectid: test(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: test(/^(?:[^<>@\s"(),:;[\]\\]+|"[^"]*")@[^<>@\s]+$|^[^<>]*<[^<>@\s]+@[^<>@\s]+>$/),
  hostname: (text) => Buffer.byteLength(text) <= 255 && hostname.test(text) && text.split('.').every((label) => Buffer.byteLength(label) <= 63),
  ipv4: (text) => isIPv4(withoutLeadingZeros(text)),
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  mac: test(/^(?:[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}(?:(?:[0-9a-fA-F]{2}\1){2})?(?:(?:[0-9a-fA-F]{2}\1){12})?[0-9a-fA-F]{2}|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})?)$/),
  uuid: test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: test(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: test(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: test(/^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/),
  byte: (text) => text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  password: () => true,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  k8slongname: (text) => text.length <= 253 && text.split('.').every((label) => SHORT_NAME.test(label)),
};

/** The check of a format of strings; undefined: it is not known, and nothing is checked. */
export function stringFormat(format: string): Test | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(STRING_FORMATS, name) ? STRING_FORMATS[name] : undefined;
}

function isRequestUri(text: string): boolean {
  // eslint's control-character rule would rather not see them in a pattern.
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) <= 32 || text.charCodeAt(i) === 127) return false;
  const [, scheme, rest] = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(.*)$/s.exec(text)!;
  // What does not begin with a slash behind its scheme is not looked into.
  if (!rest!.startsWith('/')) return scheme !== undefined;
  const query = rest!.indexOf('?');
  return !/%(?![0-9A-Fa-f]{2})/.test(query < 0 ? rest! : rest!.slice(0, query));
}

function withoutLeadingZeros(address: string): string {
  return address.replace(/(^|\.)0+(?=\d)/g, '$1');
}

function isCidr(text: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  const family = match ? isIP(withoutLeadingZeros(match[1]!)) : 0;
  return match !== null && family !== 0 && Number(match[2]) <= (family === 4 ? 32 : 128);
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)[tT ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|[-+]\d\d:\d\d)$/.exec(text);
  return match !== null && isDay(match[1]!) && Number(match[2]) < 24 && Number(match[3]) < 60 && Number(match[4]) < 60;
}

/** What Go reads as a duration, and every text with a number and the name of a unit behind it. */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  let known = false;
  // Number by number: one expression for all of it would go over long numbers again and again.
  for (const { 0: number, index } of text.matchAll(/\d+/g)) {
    const name = unitAt(text, index + number.length);
    if (name === '') continue;
    if (number.length > 18) return false;
    known ||= UNIT.test(name);
  }
  return known;
}

/** The letters behind white space, if there are any. */
function unitAt(text: string, start: number): string {
  let from = start;
  while (from < text.length && /\s/.test(text[from]!)) from++;
  let to = from;
  while (to < text.length && /[A-Za-zµ]/.test(text[to]!)) to++;
  return text.slice(from, to);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll('-', '').replaceAll(' ', '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, i) => sum + (10 - i) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll('-', '').replaceAll(' ', '');
  return /^\d{13}$/.test(digits) && [...digits].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => total + (i % 2 === 0 ? Number(digit) : [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]!), 0);
  return sum % 10 === 0;
}
