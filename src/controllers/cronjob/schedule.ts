import type { V1CronJob } from '../../api/generated/types.js';
import { nextTime } from '../../api/helpers/cron-next.js';
import { parseCronSchedule, type CronSchedule } from '../../api/helpers/cron-schedule.js';
import { TimeZone } from '../../api/helpers/time-zone.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

/** Added to the time of the next look, so that clocks that differ a little do not make it come too early. */
const NEXT_LOOK_MILLISECONDS = 100;
/** More missed times than this are told about. */
const MANY = 100;

/** When a cron job is due: its schedule at its place. */
export interface DueTimes {
  readonly schedule: CronSchedule;
  readonly timeZone: TimeZone;
}

/** What became due. */
export interface MissedTimes {
  /** The latest time that is due, in milliseconds; undefined: none. */
  readonly latest?: number;
  readonly missed: 'none' | 'few' | 'many';
  /** From when on times were looked for. */
  readonly earliest: number;
}

/** Throws for what the API would refuse too; an old object may still have a zone inside its schedule (`TZ=…`). */
export function dueTimes({ spec }: V1CronJob): DueTimes {
  const inline = /^(?:CRON_)?TZ=(\S*)\s/.exec(spec.schedule)?.[1];
  const schedule = parseCronSchedule(spec.schedule);
  return { schedule, timeZone: new TimeZone(inline ?? spec.timeZone) };
}

/**
 * The latest time at which the job was due up to `now`, since it last ran or was created (within its starting deadline, if `withDeadline`). How many were
 * missed is an estimate by the distance of the first two. Throws when the schedule can never be due again and again (30 February).
 */
export function missedTimes(cronJob: V1CronJob, { schedule, timeZone }: DueTimes, now: number, withDeadline: boolean): MissedTimes {
  let earliest = parseTimestamp(cronJob.status?.lastScheduleTime) ?? parseTimestamp(cronJob.metadata?.creationTimestamp) ?? now;
  const deadline = cronJob.spec.startingDeadlineSeconds;
  if (withDeadline && deadline !== undefined) earliest = Math.max(earliest, now - deadline * 1000);
  const first = nextTime(schedule, earliest, timeZone);
  const second = first === undefined ? undefined : nextTime(schedule, first, timeZone);
  if (first !== undefined && now < first) return { missed: 'none', earliest };
  if (first !== undefined && second !== undefined && now < second) return { latest: first, missed: 'none', earliest };
  if (first === undefined || second === undefined || second - first < 1000) throw new Error('time difference between two schedules is less than 1 second');

  const distance = second - first;
  const count = Math.floor((now - first) / distance) + 1;
  let latest: number | undefined;
  // One distance before the estimate: the schedule may be uneven.
  for (let at = nextTime(schedule, first + (count - 2) * distance, timeZone); at !== undefined && at <= now; at = nextTime(schedule, at, timeZone)) latest = at;
  return { ...(latest === undefined ? {} : { latest }), missed: count > MANY ? 'many' : 'few', earliest };
}

/** Milliseconds until the job has to be looked at again: just after it is due next. */
export function untilNext(cronJob: V1CronJob, times: DueTimes, now: number): number {
  const next = nextTime(times.schedule, lastDue(cronJob, times, now), times.timeZone);
  // A schedule that is never due is looked at again when it is changed, or in a day.
  return next === undefined ? 24 * 60 * 60_000 : Math.max(0, next + NEXT_LOOK_MILLISECONDS - now);
}

function lastDue(cronJob: V1CronJob, times: DueTimes, now: number): number {
  try {
    const { latest, missed, earliest } = missedTimes(cronJob, times, now, false);
    return latest ?? (missed === 'none' ? earliest : now);
  } catch {
    return now;
  }
}
