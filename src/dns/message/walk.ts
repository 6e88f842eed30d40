import { HEADER_LENGTH } from './constants.js';
import { MalformedMessage, readName } from './names.js';

/** Where a record stands in a message. */
export interface RecordSpan {
  /** 1 answer, 2 authority, 3 additional. */
  readonly section: 1 | 2 | 3;
  readonly start: number;
  /** Offset of type, class, TTL and length, which follow the name. */
  readonly fixed: number;
  readonly type: number;
  readonly data: number;
  readonly end: number;
}

/** Offset after the questions. Throws `MalformedMessage`. */
export function skipQuestions(message: Buffer): number {
  if (message.length < HEADER_LENGTH) throw new MalformedMessage('shorter than a header');
  let offset = HEADER_LENGTH;
  for (let count = message.readUInt16BE(4); count > 0; count--) {
    offset = readName(message, offset).end + 4;
    if (offset > message.length) throw new MalformedMessage('a question goes beyond the end');
  }
  return offset;
}

/** The records of all sections in order. Throws `MalformedMessage` (also for a message shorter than its header). */
export function* records(message: Buffer): Generator<RecordSpan, void, undefined> {
  let offset = skipQuestions(message);
  for (const section of [1, 2, 3] as const) {
    for (let count = message.readUInt16BE(4 + 2 * section); count > 0; count--) {
      const start = offset;
      const fixed = readName(message, offset).end;
      const data = fixed + 10;
      if (data > message.length) throw new MalformedMessage('a record goes beyond the end');
      const end = data + message.readUInt16BE(fixed + 8);
      if (end > message.length) throw new MalformedMessage('the data of a record goes beyond the end');
      yield { section, start, fixed, type: message.readUInt16BE(fixed), data, end };
      offset = end;
    }
  }
}
