// Reproducible randomness: the same seed sends the same requests.

/** A source of randomness. */
export class Dice {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, limit). */
  below(limit) {
    return Math.floor(this.next() * limit);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Between one and `most` results of `make`. */
  several(most, make) {
    return Array.from({ length: 1 + this.below(most) }, make);
  }
}
