import type { Random } from '../../base/random.js';
import { TimestampMemo } from '../../api/meta/timestamp.js';

/** So many multiples of 256 ns fit into a millisecond; numbers of this size are not exact to less. */
const STEPS_PER_MILLISECOND = 3906;

/** Suffixes and timestamps of events, of which there are many in one second. */
export class EventNames {
  private counter: number;
  private readonly timestamps = new TimestampMemo();

  constructor(random: Random) {
    this.counter = Math.floor(random.float() * STEPS_PER_MILLISECOND);
  }

  /** Hexadecimal nanoseconds since 1970, as upstream's names end with; steps of 256 ns keep those of one millisecond apart. */
  suffix(now: number): string {
    this.counter = (this.counter + 1) % STEPS_PER_MILLISECOND;
    return (now * 1e6 + this.counter * 256).toString(16);
  }

  timestamp(now: number): string {
    return this.timestamps.of(now);
  }
}
