import { duplicate, tooMany, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';

type ItemRule<T> = (item: T, path: FieldPath) => FieldError[];

/** A list of at most `max` items, each right by itself; when it is longer nothing else is looked at. */
export function validateList<T>(items: readonly T[] | undefined, max: number, rule: ItemRule<T>, path: FieldPath): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(path, list.length, max)];
  return list.flatMap((item, i) => rule(item, path.index(i)));
}

/** As {@link validateList}, with no key twice. `shown` is what of an item that is there twice is told; default its key. */
export function validateSet<T>(
  items: readonly T[] | undefined,
  max: number,
  rule: ItemRule<T>,
  key: (item: T) => string,
  path: FieldPath,
  shown: (item: T) => unknown = key,
): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(path, list.length, max)];
  const errors = list.flatMap((item, i) => rule(item, path.index(i)));
  const seen = new Set<string>();
  list.forEach((item, i) => {
    const value = key(item);
    if (seen.has(value)) errors.push(duplicate(path.index(i), shown(item)));
    seen.add(value);
  });
  return errors;
}

/** A map of at most `max` entries. Bad keys are reported at the map, bad values at their key. */
export function validateMap<T>(
  map: Readonly<Record<string, T>> | undefined,
  max: number,
  keyRule: (key: string, path: FieldPath) => FieldError[],
  valueRule: ItemRule<T>,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(map ?? {});
  if (entries.length > max) return [tooMany(path, entries.length, max)];
  return entries.flatMap(([key, value]) => [...keyRule(key, path), ...valueRule(value, path.key(key))]);
}
