import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';

/** Sorts a long list: pieces of it first, which are then laid into each other. `sort` sorts a piece in place and agrees with `compare`. */
export function* sortSteps<T>(items: readonly T[], sort: (piece: T[]) => T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += ENTRIES_PER_STEP) {
    runs.push(sort(items.slice(i, i + ENTRIES_PER_STEP)));
    yield;
  }
  while (runs.length > 1) {
    const next: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) next.push(i + 1 < runs.length ? yield* mergeSteps(runs[i]!, runs[i + 1]!, compare) : runs[i]!);
    runs = next;
  }
  return runs[0] ?? [];
}

/** Two sorted lists as one. Of equal items, those of `a` come first. */
export function* mergeSteps<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const result: T[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    result.push(j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0) ? a[i++]! : b[j++]!);
    if (result.length % ENTRIES_PER_STEP === 0) yield;
  }
  return result;
}

/** Whether a long list is sorted already. `strictly`: without equal ones. */
export function* isSortedSteps<T>(items: readonly T[], compare: (a: T, b: T) => number, strictly = false): Steps<boolean> {
  const most = strictly ? -1 : 0;
  for (let i = 1; i < items.length; i++) {
    if (compare(items[i - 1]!, items[i]!) > most) return false;
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  return true;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The keys of an object in the order of their texts. */
export function* sortedKeysSteps(object: object): Steps<string[]> {
  const keys = Object.keys(object);
  yield;
  return (yield* isSortedSteps(keys, compareTexts)) ? keys : yield* sortSteps(keys, (piece) => piece.sort(), compareTexts);
}
