import * as fc from 'fast-check';
import { nextTime } from './cron-next.js';
import { parseCronSchedule, type CronCalendar } from './cron-schedule.js';
import { TimeZone } from './time-zone.js';

const next = (spec: string, after: string, zone = 'UTC'): string => {
  const found = nextTime(parseCronSchedule(spec), Date.parse(after), new TimeZone(zone));
  return found === undefined ? 'never' : new TimeZone(zone).rfc3339(found);
};

test.each([
  ['0/15 * * * *', '2012-07-09T14:45:00Z', '2012-07-09T15:00:00Z'],
  ['0/15 * * * *', '2012-07-09T14:59:59.999Z', '2012-07-09T15:00:00Z'],
  ['20-35/15 * * * *', '2012-12-31T23:46:00Z', '2013-01-01T00:20:00Z'],
  ['0 0 9 Apr-Oct ?', '2012-07-09T23:35:00Z', '2012-08-09T00:00:00Z'],
  ['30 8 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T08:30:00Z'],
  ['30 8 13 * *', '2026-01-01T00:00:00Z', '2026-01-13T08:30:00Z'],
  ['0 0 29 Feb ?', '2012-02-29T00:00:00Z', '2016-02-29T00:00:00Z'],
  ['0 0 31 2 *', '2026-01-01T00:00:00Z', 'never'],
  ['0 0 29 2 *', '2097-01-01T00:00:00Z', 'never'],
  ['@every 1h30m', '2026-01-01T00:00:00.500Z', '2026-01-01T01:30:00Z'],
  ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
])('%s after %s', (spec, after, expected) => expect(next(spec, after)).toBe(expected));

test.each([
  // Clocks go forward on 2012-03-11 at 2:00 in New York: what would be in between is left out.
  ['30 2 11 Mar ?', '2012-03-11T00:00:00-05:00', 'America/New_York', '2013-03-11T02:30:00-04:00'],
  ['0 * * * *', '2012-03-11T01:00:00-05:00', 'America/New_York', '2012-03-11T03:00:00-04:00'],
  // And back on 2012-11-04: what comes twice is due twice.
  ['30 1 4 11 *', '2012-11-04T00:00:00-04:00', 'America/New_York', '2012-11-04T01:30:00-04:00'],
  ['30 1 4 11 *', '2012-11-04T01:30:00-04:00', 'America/New_York', '2012-11-04T01:30:00-05:00'],
  ['0 3 3 * *', '2012-11-04T00:00:00-04:00', 'America/New_York', '2012-12-03T03:00:00-05:00'],
  // There is no midnight on 2018-11-04 in São Paulo.
  ['0 9 4 11 *', '2018-11-03T05:00:00-03:00', 'America/Sao_Paulo', '2018-11-04T09:00:00-02:00'],
  ['0 0 4 11 *', '2018-11-03T05:00:00-03:00', 'America/Sao_Paulo', '2019-11-04T00:00:00-03:00'],
  ['30 23 3 11 *', '2018-11-03T05:00:00-03:00', 'America/Sao_Paulo', '2018-11-03T23:30:00-03:00'],
  // Samoa had no 30 December 2011.
  ['0 12 30 12 *', '2011-12-29T13:00:00-10:00', 'Pacific/Apia', '2012-12-30T12:00:00+14:00'],
  ['15 4 * * *', '2026-07-01T00:00:00Z', 'Asia/Kathmandu', '2026-07-02T04:15:00+05:45'],
])('%s after %s in %s', (spec, after, zone, expected) => expect(next(spec, after, zone)).toBe(expected));

test('it is the first minute that fits, counted one by one', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo'];
  const part = (min: number, max: number) => fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((values) => values.join(','));
  fc.assert(fc.property(fc.constantFrom(...zones), part(0, 59), part(0, 23), fc.integer({ min: Date.UTC(2018, 0, 1), max: Date.UTC(2019, 11, 1) }), (name, minutes, hours, start) => {
    const zone = new TimeZone(name);
    const schedule = parseCronSchedule(`${minutes} ${hours} * * *`) as { calendar: CronCalendar };
    const found = nextTime(schedule, start, zone)!;
    for (let at = Math.floor(start / 60_000) * 60_000 + 60_000; ; at += 60_000) {
      const wall = new Date(at + zone.offsetAt(at));
      if (schedule.calendar.minutes.values.has(wall.getUTCMinutes()) && schedule.calendar.hours.values.has(wall.getUTCHours())) return expect(found).toBe(at);
    }
  }), { numRuns: 40 });
});

test('unknown zones', () => expect(() => new TimeZone('Mars/Base')).toThrow('unknown time zone Mars/Base'));
