/** What {@link readName} throws for a name that breaks the rules of RFC 1035. */
export class MalformedMessage extends Error {
  constructor(what: string) {
    super(`malformed DNS message: ${what}`);
    this.name = 'MalformedMessage';
  }
}

/** A name of a message without compression, and the offset after it. */
export interface WireName {
  /** Labels with their length bytes and the empty label at the end. */
  readonly wire: Buffer;
  readonly end: number;
}

/** Reads a name, following pointers (only backwards, so that it ends). Throws {@link MalformedMessage}. */
export function readName(message: Buffer, offset: number): WireName {
  const parts: Buffer[] = [];
  let at = offset;
  let end = -1;
  let lowest = offset;
  let length = 1;
  for (;;) {
    const size = message[at];
    if (size === undefined) throw new MalformedMessage('a name goes beyond the end');
    if (size === 0) {
      parts.push(message.subarray(at, at + 1));
      return { wire: parts.length === 1 ? parts[0]! : Buffer.concat(parts), end: end < 0 ? at + 1 : end };
    }
    if (size >= 0xc0) {
      const next = message[at + 1];
      if (next === undefined) throw new MalformedMessage('a pointer goes beyond the end');
      if (end < 0) end = at + 2;
      const target = ((size & 0x3f) << 8) | next;
      if (target >= lowest) throw new MalformedMessage('a pointer does not lead backwards');
      at = lowest = target;
      continue;
    }
    if (size > 63) throw new MalformedMessage('a label of unknown kind');
    length += size + 1;
    if (length > 255) throw new MalformedMessage('a name is longer than 255 bytes');
    if (at + 1 + size > message.length) throw new MalformedMessage('a label goes beyond the end');
    parts.push(message.subarray(at, at + 1 + size));
    at += 1 + size;
  }
}

/** The labels of an uncompressed name, each byte one character. */
export function labelsOf(wire: Buffer): string[] {
  const labels: string[] = [];
  for (let at = 0; wire[at]; at += wire[at]! + 1) labels.push(wire.toString('latin1', at + 1, at + 1 + wire[at]!));
  return labels;
}

/** The wire form of a name in text; undefined when a label is empty, longer than 63 bytes, or the whole longer than 255. */
export function encodeName(name: string): Buffer | undefined {
  const text = name.endsWith('.') ? name.slice(0, -1) : name;
  const parts: Buffer[] = [];
  for (const label of text === '' ? [] : text.split('.')) {
    const bytes = Buffer.from(label);
    if (bytes.length === 0 || bytes.length > 63) return undefined;
    parts.push(Buffer.from([bytes.length]), bytes);
  }
  parts.push(Buffer.from([0]));
  const wire = Buffer.concat(parts);
  return wire.length > 255 ? undefined : wire;
}

/** Lower case of the ASCII letters in bytes of names; length bytes are below 64 and stay. */
export function lowerCaseBytes(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < copy.length; i++) if (copy[i]! >= 0x41 && copy[i]! <= 0x5a) copy[i]! += 0x20;
  return copy;
}
