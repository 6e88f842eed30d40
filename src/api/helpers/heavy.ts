import { weighsAtLeast } from './weight.js';

/** As JSON; about two thousand fields. */
const HEAVY_BYTES = 32 << 10;
/** Whether an object of very many keys has any takes V8 milliseconds to find out. */
const known = new WeakSet<object>();

/** Whether a value has so many parts that it is worked on in steps. One that was so once counts as such for good. */
export function isHeavy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (known.has(value)) return true;
  if (!weighsAtLeast(value, HEAVY_BYTES)) return false;
  known.add(value);
  return true;
}
