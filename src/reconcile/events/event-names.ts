import type { Random } from '../../base/random.js';

/** So many multiples of 256 ns fit into a millisecond; numbers of this size are not exact to less. */
const STEPS_PER_MILLISECOND = 3906;

/** Suffixes and timestamps of events, of which there are many in one second. */
export class EventNames {
  private counter: number;
  private second = -1;
  private text = '';

  constructor(random: Random) {
    this.counter = Math.floor(random.float() * STEPS_PER_MILLISECOND);
  }

  /** Hexadecimal nanoseconds since 1970, as upstream's names end with; steps of 256 ns keep those of one millisecond apart. */
  suffix(now: number): string {
    this.counter = (this.counter + 1) % STEPS_PER_MILLISECOND;
    return (now * 1e6 + this.counter * 256).toString(16);
  }

  timestamp(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    }
    return this.text;
  }
}
