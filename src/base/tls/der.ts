/** Tags of the DER types that certificates use. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One decoded element. `children` is empty for primitive ones. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole element, header included. */
  readonly raw: Buffer;
  readonly children: readonly DerElement[];
}

/** Encodes one element with definite length. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => der(TAG.set, ...parts);
export const octetString = (content: Uint8Array): Buffer => der(TAG.octetString, content);
export const boolean = (value: boolean): Buffer => der(TAG.boolean, Buffer.from([value ? 0xff : 0]));
export const utf8String = (text: string): Buffer => der(TAG.utf8String, Buffer.from(text, 'utf8'));
/** `[number] EXPLICIT`. */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer => der(0xa0 | number, ...parts);
/** `[number] IMPLICIT` of a primitive type. */
export const implicit = (number: number, content: Uint8Array): Buffer => der(0x80 | number, content);

/** A bit string; `unusedBits` count from the end of the last byte. */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return der(TAG.bitString, Buffer.from([unusedBits]), content);
}

/** A non-negative integer from its big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = Buffer.from(bytes.subarray(start));
  return der(TAG.integer, trimmed.length === 0 || trimmed[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

/** An object identifier from its dotted text. */
export function oid(text: string): Buffer {
  const arcs = text.split('.').map(Number);
  const bytes: number[] = [];
  for (const [i, arc] of [arcs[0]! * 40 + arcs[1]!, ...arcs.slice(2)].entries()) {
    const septets = [arc & 0x7f];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) septets.unshift((rest & 0x7f) | 0x80);
    bytes.push(...septets);
    if (i > 64) throw new RangeError('object identifier is too long');
  }
  return der(TAG.oid, Buffer.from(bytes));
}

/** UTCTime up to 2049, GeneralizedTime from then on (RFC 5280); seconds are cut. */
export function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return Number(text.slice(0, 4)) < 2050
    ? der(TAG.utcTime, Buffer.from(`${text.slice(2)}Z`, 'latin1'))
    : der(TAG.generalizedTime, Buffer.from(`${text}Z`, 'latin1'));
}

/** Decodes one element that fills `bytes`. Throws a `RangeError` when the bytes are not DER. */
export function parseDer(bytes: Buffer): DerElement {
  const { element, end } = parseAt(bytes, 0, 0);
  if (end !== bytes.length) throw new RangeError('bytes after the DER element');
  return element;
}

const MAX_DEPTH = 32;

function parseAt(bytes: Buffer, start: number, depth: number): { element: DerElement; end: number } {
  if (depth > MAX_DEPTH) throw new RangeError('DER is nested too deep');
  if (start + 2 > bytes.length) throw new RangeError('DER is cut off');
  const tag = bytes[start]!;
  if ((tag & 0x1f) === 0x1f) throw new RangeError('DER tag with several bytes');
  let length = bytes[start + 1]!;
  let at = start + 2;
  if (length & 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4 || at + count > bytes.length) throw new RangeError('bad DER length');
    length = bytes.readUIntBE(at, count);
    at += count;
  }
  const end = at + length;
  if (end > bytes.length) throw new RangeError('DER is cut off');
  const children: DerElement[] = [];
  if (tag & 0x20) {
    for (let next = at; next < end; ) {
      const child = parseAt(bytes.subarray(0, end), next, depth + 1);
      children.push(child.element);
      next = child.end;
    }
  }
  return { element: { tag, content: bytes.subarray(at, end), raw: bytes.subarray(start, end), children }, end };
}

/** Dotted text of an object identifier element. */
export function oidText(element: DerElement): string {
  const arcs: number[] = [];
  let value = 0;
  for (const byte of element.content) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)));
    else arcs.push(value);
    value = 0;
  }
  return arcs.join('.');
}

/** Text of a string element of any of the types that names use. */
export function stringText(element: DerElement): string {
  if (element.tag === TAG.bmpString) return Buffer.from(element.content).swap16().toString('utf16le');
  return element.content.toString(element.tag === TAG.t61String || element.tag === TAG.ia5String ? 'latin1' : 'utf8');
}

/** Milliseconds since the epoch of a time element. */
export function timeValue(element: DerElement): number {
  const text = element.content.toString('latin1');
  const match = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (!match) throw new RangeError('bad DER time');
  const short = Number(match[1]);
  const year = element.tag === TAG.utcTime ? short + (short < 50 ? 2000 : 1900) : short;
  return Date.UTC(year, Number(match[2]) - 1, Number(match[3]), Number(match[4]), Number(match[5]), Number(match[6]));
}
