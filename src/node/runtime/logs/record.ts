/** One line of a container's log file, in CRI's format: `2026-01-02T03:04:05.000000006Z stdout F text`. */
export interface LogRecord {
  /** When it was printed, as it stands in the file. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** What was printed, with its end of line unless there was none (tag `P`). */
  readonly content: Buffer;
}

const SPACE = 0x20;
const NEWLINE = 0x0a;
const COLON = 0x3a;

/** Reads a line; it may lack its end of line. Undefined when it is not of this format. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  const afterTime = line.indexOf(SPACE);
  const afterStream = afterTime < 0 ? -1 : line.indexOf(SPACE, afterTime + 1);
  const afterTag = afterStream < 0 ? -1 : line.indexOf(SPACE, afterStream + 1);
  if (afterTag < 0) return undefined;
  const stream = line.toString('latin1', afterTime + 1, afterStream);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const time = line.toString('latin1', 0, afterTime);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(time)) return undefined;
  // Further tags may follow the first one after a colon.
  const tagEnd = line.subarray(afterStream + 1, afterTag).indexOf(COLON);
  const tag = line.toString('latin1', afterStream + 1, tagEnd < 0 ? afterTag : afterStream + 1 + tagEnd);
  const end = tag === 'P' && line.at(-1) === NEWLINE ? line.length - 1 : line.length;
  return { time, stream, content: line.subarray(afterTag + 1, end) };
}

/** A time as `kubectl logs --timestamps` prints it: nine digits of a second, `Z` for no offset. */
export function formatRecordTime(time: string): string {
  const [, seconds, fraction = '', offset] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(time)!;
  return `${seconds}.${fraction.padEnd(9, '0')}${offset === '+00:00' || offset === '-00:00' ? 'Z' : offset}`;
}
