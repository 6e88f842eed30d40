import { decodeError } from './decode-error.js';

const SECONDS = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/;
const MICROSECONDS = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{6}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Layouts as upstream names them in messages. */
const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** What the zero time is written as; it counts as absent. */
const ZERO = '0001-01-01T00:00:00Z';
const MICRO_ZERO = '0001-01-01T00:00:00.000000Z';

/** `Time` as the API server answers it: UTC, whole seconds. Undefined for the zero time. Throws `KUBE_CANNOT_DECODE` with upstream's message. */
export function canonicalTime(text: string): string | undefined {
  const match = SECONDS.exec(text);
  const canonical = match && inRange(match) ? text : format(new TimeParser(text, LAYOUT).parse(), false);
  return canonical === ZERO ? undefined : canonical;
}

/** `MicroTime` as the API server answers it: UTC, six digits of a second. Undefined for the zero time. Throws like {@link canonicalTime}. */
export function canonicalMicroTime(text: string): string | undefined {
  const match = MICROSECONDS.exec(text);
  const canonical = match && inRange(match) ? text : format(new TimeParser(text, MICRO_LAYOUT).parse(), true);
  return canonical === MICRO_ZERO ? undefined : canonical;
}

function inRange(match: RegExpExecArray): boolean {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year) && hour < 24 && minute < 60 && second < 60;
}

function daysIn(month: number, year: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : DAYS[month - 1]!;
}

interface ParsedTime {
  /** Since the epoch, fraction dropped. */
  readonly milliseconds: number;
  readonly microseconds: number;
}

function format({ milliseconds, microseconds }: ParsedTime, micro: boolean): string {
  const text = new Date(milliseconds).toISOString().slice(0, 19);
  return micro ? `${text}.${String(microseconds).padStart(6, '0')}Z` : `${text}Z`;
}

/** Goes through the layout piece by piece, to find the piece that does not fit. */
class TimeParser {
  private rest: string;

  constructor(
    private readonly text: string,
    private readonly layout: string,
  ) {
    this.rest = text;
  }

  parse(): ParsedTime {
    const year = this.digits(4, 4, '2006');
    this.literal('-');
    const month = this.digits(2, 2, '01');
    if (month < 1 || month > 12) throw this.outOfRange('month');
    this.literal('-');
    const day = this.digits(2, 2, '02');
    this.literal('T');
    const hour = this.digits(1, 2, '15');
    if (hour > 23) throw this.outOfRange('hour');
    this.literal(':');
    const minute = this.digits(2, 2, '04');
    if (minute > 59) throw this.outOfRange('minute');
    this.literal(':');
    const second = this.digits(2, 2, '05');
    if (second > 59) throw this.outOfRange('second');
    const microseconds = this.fraction();
    const offsetMinutes = this.zone();
    if (this.rest !== '') throw this.failure(`: extra text: ${JSON.stringify(this.rest)}`);
    if (day < 1 || day > daysIn(month, year)) throw this.outOfRange('day');
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute - offsetMinutes, second);
    return { milliseconds: date.getTime(), microseconds };
  }

  private digits(min: number, max: number, layout: string): number {
    const match = new RegExp(`^\\d{${min},${max}}`).exec(this.rest);
    if (!match) throw this.mismatch(layout);
    this.rest = this.rest.slice(match[0].length);
    return Number(match[0]);
  }

  private literal(char: string): void {
    if (!this.rest.startsWith(char)) throw this.mismatch(char);
    this.rest = this.rest.slice(1);
  }

  /** Without digits in the layout any fraction is let through. */
  private fraction(): number {
    const fixed = this.layout === MICRO_LAYOUT;
    const match = (fixed ? /^[.,](\d{6})/ : /^[.,](\d+)/).exec(this.rest);
    if (!match) {
      if (fixed) throw this.mismatch('.000000');
      return 0;
    }
    this.rest = this.rest.slice(match[0].length);
    return Number(match[1]!.slice(0, 6).padEnd(6, '0'));
  }

  private zone(): number {
    if (this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return 0;
    }
    const match = /^([-+])(\d\d):(\d\d)/.exec(this.rest);
    if (!match) throw this.mismatch('Z07:00');
    const [hours, minutes] = [Number(match[2]), Number(match[3])];
    if (hours > 24) throw this.outOfRange('time zone offset hour');
    if (minutes > 60) throw this.outOfRange('time zone offset minute');
    this.rest = this.rest.slice(6);
    return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes);
  }

  private mismatch(layout: string): Error {
    return decodeError(`parsing time ${JSON.stringify(this.text)} as ${JSON.stringify(this.layout)}: cannot parse ${JSON.stringify(this.rest)} as ${JSON.stringify(layout)}`);
  }

  private outOfRange(what: string): Error {
    return this.failure(`: ${what} out of range`);
  }

  private failure(tail: string): Error {
    return decodeError(`parsing time ${JSON.stringify(this.text)}${tail}`);
  }
}
