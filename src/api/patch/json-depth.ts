/** Whether objects and lists of a value are nested more than `levels` deep. Parts that occur often are looked at once. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  return height(value, levels, new Map()) > levels;
}

/** Levels of a value; infinite when they are more than `levels`. */
function height(value: unknown, levels: number, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Infinity;
  const seen = known.get(value);
  if (seen !== undefined) return seen > levels ? Infinity : seen;
  let highest = 0;
  for (const part of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    highest = Math.max(highest, height(part, levels - 1, known));
    if (highest === Infinity) return Infinity;
  }
  known.set(value, highest + 1);
  return highest + 1;
}
