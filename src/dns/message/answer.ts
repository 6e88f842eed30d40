import { encode, type Answer } from 'dns-packet';
import { FLAG, HEADER_LENGTH, MINIMUM_UDP_SIZE, RCODE } from './constants.js';
import { pack } from './pack.js';
import { optRecord, type Query } from './query.js';

/** Answer of the cluster's own zones. */
export interface ZoneAnswer {
  readonly rcode: number;
  readonly answers: readonly Answer[];
  readonly authorities?: readonly Answer[];
  readonly additionals?: readonly Answer[];
}

/** Largest answer over UDP, whatever the client says it takes: bigger ones would come in fragments that get lost. */
const LARGEST_UDP = 4096;

/** How many bytes an answer may have. */
export function answerLimit(query: Query, transport: 'udp' | 'tcp'): number {
  if (transport === 'tcp') return 65_535;
  return Math.min(query.edns?.size ?? MINIMUM_UDP_SIZE, LARGEST_UDP);
}

/** Writes an authoritative answer. */
export function encodeZoneAnswer(query: Query, answer: ZoneAnswer, limit: number): Buffer {
  const body = encode({
    type: 'response',
    id: query.id,
    flags: FLAG.AA | clientFlags(query) | answer.rcode,
    answers: [...answer.answers],
    authorities: [...(answer.authorities ?? [])],
    additionals: [...(answer.additionals ?? [])],
  });
  // The question goes back byte for byte: clients compare its case.
  const message = Buffer.concat([body.subarray(0, HEADER_LENGTH), query.question, body.subarray(HEADER_LENGTH)]);
  message.writeUInt16BE(1, 4);
  const opt = ownOpt(query);
  return withOpt(pack(message, limit - opt.length), opt);
}

/** Answers without records: SERVFAIL, REFUSED. */
export function encodeFailure(query: Query, rcode: number): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt16BE(query.id, 0);
  header.writeUInt16BE(FLAG.QR | clientFlags(query) | (rcode === RCODE.REFUSED ? 0 : FLAG.RA) | rcode, 2);
  header.writeUInt16BE(1, 4);
  return withOpt(Buffer.concat([header, query.question]), ownOpt(query));
}

/**
 * Makes the answer to `query` of an upstream's answer to the same question (without its OPT record). One that does not fit is left out
 * as a whole, with the truncation flag.
 */
export function encodeRelayed(query: Query, upstream: Buffer, limit: number): Buffer {
  const opt = ownOpt(query);
  const fits = upstream.length + opt.length <= limit;
  const message = Buffer.from(fits ? upstream : upstream.subarray(0, HEADER_LENGTH + query.question.length));
  message.writeUInt16BE(query.id, 0);
  const verified = query.authenticData || query.edns?.dnssecOk ? 0 : FLAG.AD;
  const kept = message.readUInt16BE(2) & ~(FLAG.RD | FLAG.CD | verified);
  message.writeUInt16BE(kept | FLAG.QR | clientFlags(query) | FLAG.RA | (fits ? 0 : FLAG.TC), 2);
  if (!fits) message.fill(0, 6, HEADER_LENGTH);
  query.question.copy(message, HEADER_LENGTH);
  return withOpt(message, opt);
}

function clientFlags(query: Query): number {
  return (query.recursionDesired ? FLAG.RD : 0) | (query.checkingDisabled ? FLAG.CD : 0);
}

function ownOpt(query: Query): Buffer {
  return query.edns ? optRecord(query.edns.size, query.edns.dnssecOk) : Buffer.alloc(0);
}

function withOpt(message: Buffer, opt: Buffer): Buffer {
  if (opt.length === 0) return message;
  const whole = Buffer.concat([message, opt]);
  whole.writeUInt16BE(whole.readUInt16BE(10) + 1, 10);
  return whole;
}
