import { KubeError } from '../../base/errors.js';

/** Rules of a place for local time, from the runtime's time zone database. */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat | undefined;

  /**
   * @param name an IANA name; `UTC`, or absent for the zone of this process
   * Throws `KUBE_UNKNOWN_TIME_ZONE` for a name that the database does not have.
   */
  constructor(name?: string) {
    if (name === 'UTC' || name === 'Etc/UTC') return;
    try {
      this.format = new Intl.DateTimeFormat('en-US', {
        timeZone: name, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23',
        year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
      });
    } catch (error) {
      throw new KubeError('KUBE_UNKNOWN_TIME_ZONE', `unknown time zone ${name ?? ''}`, { cause: error });
    }
  }

  /** Milliseconds that local time is ahead of UTC at this instant (milliseconds since the epoch). */
  offsetAt(instant: number): number {
    if (!this.format) return 0;
    const fields = new Map(this.format.formatToParts(instant).map((part) => [part.type, Number(part.value)]));
    const get = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? 0;
    const wall = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
    return wall - Math.floor(instant / 1000) * 1000;
  }

  /** RFC 3339 in local time with its offset, whole seconds: `2026-03-01T12:00:00+01:00`, with `Z` where the offset is 0. */
  rfc3339(instant: number): string {
    const offset = this.offsetAt(instant);
    const text = new Date(instant + offset).toISOString().replace(/\.\d+Z$/, '');
    if (offset === 0) return `${text}Z`;
    const minutes = Math.floor(Math.abs(offset) / 60_000);
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }
}
