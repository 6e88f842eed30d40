import { FLAG, HEADER_LENGTH, MAXIMUM_SIZE, MINIMUM_UDP_SIZE, RCODE, TYPE } from './constants.js';
import { labelsOf, MalformedMessage } from './names.js';
import { records } from './walk.js';

/** What a client asks. */
export interface Query {
  readonly id: number;
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  /** The client wants to know whether upstream verified the answer (RFC 6840, 5.7). */
  readonly authenticData: boolean;
  /** Lower case, without a dot at the end; empty for the root. A label that contains a dot makes `name` unlike any of ours. */
  readonly name: string;
  /** The name as the client spelled it. */
  readonly spelled: string;
  readonly type: number;
  readonly class: number;
  /** Name, type and class as they came. */
  readonly question: Buffer;
  /** Of the OPT record (RFC 6891), where there is one. */
  readonly edns?: { readonly size: number; readonly dnssecOk: boolean };
}

/** A query, or the code with which a broken one is refused. */
export type ParsedQuery = { readonly query: Query } | { readonly reject: Buffer };

/**
 * Reads a query. Undefined for what deserves no answer: pieces too short for a header, and answers (answering those could go on for
 * ever). As CoreDNS does, other operations than QUERY are "not implemented", and anything but one question is a format error.
 */
export function parseQuery(message: Buffer): ParsedQuery | undefined {
  if (message.length < HEADER_LENGTH) return undefined;
  const flags = message.readUInt16BE(2);
  if (flags & FLAG.QR) return undefined;
  if ((flags & 0x7800) !== 0) return { reject: bare(message, RCODE.NOTIMP) };
  if (message.readUInt16BE(4) !== 1 || message.readUInt16BE(6) > 1 || message.readUInt16BE(8) > 1 || message.readUInt16BE(10) > 2) return { reject: bare(message, RCODE.FORMERR) };
  try {
    return read(message, flags);
  } catch (error) {
    if (error instanceof MalformedMessage) return { reject: bare(message, RCODE.FORMERR) };
    throw error;
  }
}

function read(message: Buffer, flags: number): ParsedQuery {
  const end = questionEnd(message);
  let edns: (Query['edns'] & { readonly version: number }) | undefined;
  for (const record of records(message)) {
    if (record.type !== TYPE.OPT || record.section !== 3) continue;
    if (edns) throw new MalformedMessage('two OPT records');
    edns = {
      size: Math.max(MINIMUM_UDP_SIZE, message.readUInt16BE(record.fixed + 2)),
      version: message[record.fixed + 5]!,
      dnssecOk: (message[record.fixed + 6]! & 0x80) !== 0,
    };
  }
  const question = Buffer.from(message.subarray(HEADER_LENGTH, end));
  if (edns && edns.version !== 0) return { reject: badVersion(message, question, edns.size) };
  const labels = labelsOf(question);
  const spelled = labels.some((label) => label.includes('.')) ? labels.map((label) => label.replaceAll('.', '\\.')).join('.') : labels.join('.');
  return {
    query: {
      id: message.readUInt16BE(0),
      recursionDesired: (flags & FLAG.RD) !== 0,
      checkingDisabled: (flags & FLAG.CD) !== 0,
      authenticData: (flags & FLAG.AD) !== 0,
      name: spelled.toLowerCase(),
      spelled,
      type: message.readUInt16BE(end - 4),
      class: message.readUInt16BE(end - 2),
      question,
      ...(edns ? { edns: { size: Math.min(edns.size, MAXIMUM_SIZE), dnssecOk: edns.dnssecOk } } : {}),
    },
  };
}

/** The question is the first thing in the message, so a pointer in it has nowhere to point. */
function questionEnd(message: Buffer): number {
  let at = HEADER_LENGTH;
  for (;;) {
    const size = message[at];
    if (size === undefined || size > 63 || at - HEADER_LENGTH > 254) throw new MalformedMessage('a bad question');
    at += size + 1;
    if (size === 0) break;
  }
  if (at + 4 > message.length) throw new MalformedMessage('the question goes beyond the end');
  return at + 4;
}

/** An answer that is a header only. */
function bare(message: Buffer, rcode: number): Buffer {
  const answer = Buffer.alloc(HEADER_LENGTH);
  answer.writeUInt16BE(message.readUInt16BE(0), 0);
  answer.writeUInt16BE(FLAG.QR | (message.readUInt16BE(2) & (0x7800 | FLAG.RD | FLAG.CD)) | rcode, 2);
  return answer;
}

function badVersion(message: Buffer, question: Buffer, size: number): Buffer {
  const header = bare(message, RCODE.BADVERS & 0xf);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(1, 10);
  return Buffer.concat([header, question, optRecord(size, false, RCODE.BADVERS >> 4)]);
}

/** An OPT record without options. */
export function optRecord(size: number, dnssecOk: boolean, extendedRcode = 0): Buffer {
  return Buffer.from([0, 0, TYPE.OPT, size >> 8, size & 0xff, extendedRcode, 0, dnssecOk ? 0x80 : 0, 0, 0, 0]);
}
