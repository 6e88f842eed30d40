import type { IndexInterval } from '../../api/batch/indexes.js';

/** A set of completion indexes as increasing intervals: a million indexes that succeeded in order are one interval. Immutable. */
export class IndexSet {
  static readonly empty = new IndexSet([]);

  private constructor(readonly intervals: readonly IndexInterval[]) {}

  /** Reads the form of the API (`1,3-5`), leaving out what is not below `completions` and what cannot be read. */
  static parse(text: string | undefined, completions: number): IndexSet {
    const intervals: IndexInterval[] = [];
    for (const part of (text ?? '').split(',')) {
      const match = /^\+?(\d+)(?:-\+?(\d+))?$/.exec(part);
      if (!match) continue;
      const first = Number(match[1]);
      if (first >= completions) break;
      append(intervals, { first, last: Math.min(completions - 1, Number(match[2] ?? first)) });
    }
    return new IndexSet(intervals);
  }

  static of(indexes: Iterable<number>): IndexSet {
    const intervals: IndexInterval[] = [];
    for (const index of [...indexes].sort((a, b) => a - b)) append(intervals, { first: index, last: index });
    return new IndexSet(intervals);
  }

  union(other: IndexSet): IndexSet {
    if (other.intervals.length === 0) return this;
    if (this.intervals.length === 0) return other;
    const merged: IndexInterval[] = [];
    for (const interval of [...this.intervals, ...other.intervals].sort((a, b) => a.first - b.first)) append(merged, interval);
    return new IndexSet(merged);
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.intervals[middle]!.last < index) low = middle + 1;
      else high = middle;
    }
    return low < this.intervals.length && this.intervals[low]!.first <= index;
  }

  /** Number of indexes. */
  get size(): number {
    return this.intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** Number of indexes that both have. */
  overlap(other: IndexSet): number {
    let count = 0;
    for (let i = 0, j = 0; i < this.intervals.length && j < other.intervals.length; ) {
      const [a, b] = [this.intervals[i]!, other.intervals[j]!];
      count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last <= b.last) i++;
      if (b.last <= a.last) j++;
    }
    return count;
  }

  /** The first `count` indexes below `completions` that are not in the set. */
  gaps(count: number, completions: number): number[] {
    const found: number[] = [];
    let candidate = 0;
    for (const { first, last } of [...this.intervals, { first: completions, last: completions }]) {
      for (; candidate < Math.min(first, completions) && found.length < count; candidate++) found.push(candidate);
      candidate = Math.max(candidate, last + 1);
    }
    return found;
  }

  /** The form of the API; two neighbours are written as `1,2`. */
  toString(): string {
    return this.intervals.map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`)).join(',');
  }
}

/** Adds an interval that begins at or after the last one, joining neighbours. */
function append(intervals: IndexInterval[], next: IndexInterval): void {
  const last = intervals.at(-1);
  if (!last || next.first > last.last + 1) intervals.push(next);
  else if (next.last > last.last) intervals[intervals.length - 1] = { first: last.first, last: next.last };
}
