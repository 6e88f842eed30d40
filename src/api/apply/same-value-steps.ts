import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { isDictionary, sameValue } from './atom.js';
import { isHeavy } from '../helpers/heavy.js';

/** `sameValue` with pauses. */
export function* sameValueSteps(a: unknown, b: unknown): Steps<boolean> {
  if (a === b || !isHeavy(a) || !isHeavy(b)) return sameValue(a, b);
  yield;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (i % ENTRIES_PER_STEP === 0) yield;
      if (!(isHeavy(a[i]) ? yield* sameValueSteps(a[i], b[i]) : sameValue(a[i], b[i]))) return false;
    }
    return true;
  }
  if (!isDictionary(a) || !isDictionary(b)) return false;
  let count = 0;
  let done = 0;
  for (const key in a) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (a[key] === undefined) continue;
    if (!(isHeavy(a[key]) ? yield* sameValueSteps(a[key], b[key]) : sameValue(a[key], b[key]))) return false;
    count++;
  }
  for (const key in b) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (b[key] !== undefined) count--;
  }
  return count === 0;
}
