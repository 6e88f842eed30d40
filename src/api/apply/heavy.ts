import { weighsAtLeast } from '../helpers/weight.js';

/** As JSON; about two thousand fields. */
const HEAVY_BYTES = 32 << 10;

/** Whether a value or a set of fields has so many parts that it is worked on in steps. */
export function isHeavy(value: unknown): boolean {
  return typeof value === 'object' && value !== null && weighsAtLeast(value, HEAVY_BYTES);
}
