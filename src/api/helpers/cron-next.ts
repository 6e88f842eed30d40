import type { CronCalendar, CronSchedule } from './cron-schedule.js';
import type { TimeZone } from './time-zone.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A calendar that fits no day in this year and the five after it never will (30 February). */
const YEARS_AHEAD = 5;

/**
 * The first time after `after` (both milliseconds since the epoch) at which a schedule is due; undefined when there is none within five
 * years. A calendar is due at each whole minute whose local time fits it: where clocks go forward, times that do not exist are left out;
 * where they go back, times that come twice are due twice. `@every` counts from `after` and ignores the time zone.
 */
export function nextTime(schedule: CronSchedule, after: number, timeZone: TimeZone): number | undefined {
  if ('everySeconds' in schedule) return Math.floor(after / 1000) * 1000 + schedule.everySeconds * 1000;
  const { calendar } = schedule;
  const firstWall = after + timeZone.offsetAt(after);
  const lastYear = new Date(firstWall).getUTCFullYear() + YEARS_AHEAD;
  const minutes = sorted(calendar.minutes.values);
  const hours = sorted(calendar.hours.values);
  // Clocks may have gone back over midnight just now: yesterday's times may come again.
  for (let day = Math.floor(firstWall / DAY) * DAY - DAY; ; day += DAY) {
    const date = new Date(day);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (!fitsDay(calendar, date)) continue;
    const found = nextInDay(day, hours, minutes, after, timeZone);
    if (found !== undefined) return found;
  }
}

/** `day` is local midnight, counted as if it were UTC. */
function nextInDay(day: number, hours: readonly number[], minutes: readonly number[], after: number, timeZone: TimeZone): number | undefined {
  const offsets = new Set([timeZone.offsetAt(day - DAY), timeZone.offsetAt(day + 2 * DAY)]);
  let best: number | undefined;
  for (const offset of offsets) {
    // Where the offset does not change around the day every local time exists.
    const exists = (instant: number): boolean => offsets.size === 1 || timeZone.offsetAt(instant) === offset;
    const found = firstOf(day - offset, hours, minutes, (instant) => instant > after && exists(instant));
    if (found !== undefined && (best === undefined || found < best)) best = found;
  }
  return best;
}

function firstOf(midnight: number, hours: readonly number[], minutes: readonly number[], fits: (instant: number) => boolean): number | undefined {
  for (const hour of hours) {
    for (const minute of minutes) {
      const instant = midnight + hour * HOUR + minute * MINUTE;
      if (fits(instant)) return instant;
    }
  }
  return undefined;
}

function fitsDay({ months, daysOfMonth, daysOfWeek }: CronCalendar, date: Date): boolean {
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const byMonth = daysOfMonth.values.has(date.getUTCDate());
  const byWeek = daysOfWeek.values.has(date.getUTCDay());
  return daysOfMonth.any || daysOfWeek.any ? byMonth && byWeek : byMonth || byWeek;
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((a, b) => a - b);
}
