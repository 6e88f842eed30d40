import { KubeError } from '../../base/errors.js';

/** One field of a schedule: which of its values fit. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Written as `*` or `?` (with no step above 1): where both day fields are restricted, either may fit; else both must. */
  readonly any: boolean;
}

/** A schedule by the calendar. */
export interface CronCalendar {
  readonly minutes: CronField;
  readonly hours: CronField;
  readonly daysOfMonth: CronField;
  readonly months: CronField;
  /** 0 is Sunday. */
  readonly daysOfWeek: CronField;
}

/** A schedule: by the calendar, or `@every` so many seconds. */
export type CronSchedule = { readonly calendar: CronCalendar } | { readonly everySeconds: number };

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = { min: 1, max: 12, names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] };
const WEEKDAYS: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@monthly': '0 0 1 * *', '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *',
};

/**
 * Parses the standard form (five fields, names of months and days, `@hourly` and its like, `@every 1h30m`) as upstream's
 * library does. A time zone in the text (`TZ=…`) is skipped: the API refuses it. Throws `KUBE_INVALID_SCHEDULE` with upstream's wording.
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw wrong('empty spec string');
  let spec = text;
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const blank = spec.indexOf(' ');
    if (blank < 0) throw wrong('invalid schedule format: runtime error: slice bounds out of range [:-1]');
    spec = spec.slice(blank).trim();
  }
  if (spec.startsWith('@')) return parseDescriptor(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) throw wrong(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  return {
    calendar: {
      minutes: parseField(fields[0]!, MINUTES),
      hours: parseField(fields[1]!, HOURS),
      daysOfMonth: parseField(fields[2]!, DAYS),
      months: parseField(fields[3]!, MONTHS),
      daysOfWeek: parseField(fields[4]!, WEEKDAYS),
    },
  };
}

function parseDescriptor(spec: string): CronSchedule {
  if (Object.hasOwn(DESCRIPTORS, spec)) return parseCronSchedule(DESCRIPTORS[spec]!);
  if (!spec.startsWith('@every ')) throw wrong(`unrecognized descriptor: ${spec}`);
  const seconds = durationSeconds(spec.slice('@every '.length), spec);
  return { everySeconds: Math.max(1, Math.floor(seconds)) };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, 'µs': 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** A Go duration: `1h30m`. */
function durationSeconds(text: string, spec: string): number {
  if (/^[-+]?0$/.test(text)) return 0;
  if (!/^[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+$/.test(text)) {
    throw wrong(`failed to parse duration ${spec}: time: invalid duration ${JSON.stringify(text)}`);
  }
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h)/g)) seconds += Number(amount) * UNIT_SECONDS[unit!]!;
  return text.startsWith('-') ? -seconds : seconds;
}

function parseField(field: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const part of field.split(',')) if (part !== '') any = addRange(part, bounds, values) || any;
  return { values, any };
}

/** Returns whether the range is a star. */
function addRange(text: string, bounds: Bounds, values: Set<number>): boolean {
  const [range, stepText, ...moreSteps] = text.split('/');
  const [low, high, ...moreHyphens] = range!.split('-');
  const star = low === '*' || low === '?';
  let start = bounds.min;
  let end = bounds.max;
  if (!star) {
    start = parseNumberOrName(low!, bounds);
    if (moreHyphens.length > 0) throw wrong(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseNumberOrName(high, bounds);
  }
  if (moreSteps.length > 0) throw wrong(`too many slashes: ${text}`);
  let step = 1;
  if (stepText !== undefined) {
    step = parseNumber(stepText);
    // `N/step` means from N to the end.
    if (high === undefined) end = bounds.max;
  }
  if (start < bounds.min) throw wrong(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) throw wrong(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw wrong(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw wrong(`step of range should be a positive number: ${text}`);
  for (let value = start; value <= end; value += step) values.add(value);
  return star && step <= 1;
}

function parseNumberOrName(text: string, { names }: Bounds): number {
  const index = text === '' ? -1 : names.indexOf(text.toLowerCase());
  return index >= 0 ? index : parseNumber(text);
}

function parseNumber(text: string): number {
  if (!/^[-+]?[0-9]+$/.test(text)) throw wrong(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw wrong(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
  if (value < 0) throw wrong(`negative number (${value}) not allowed: ${text}`);
  return value;
}

function wrong(message: string): KubeError {
  return new KubeError('KUBE_INVALID_SCHEDULE', message);
}
