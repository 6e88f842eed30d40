import type { Steps } from '../../../base/steps.js';
import { duplicate, invalid, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { Pace } from './pace.js';
import type { SchemaNode } from './schema-node.js';

type Dictionary = Readonly<Record<string, unknown>>;

/** Lists of type `set` and `map` must not hold anything twice. Step by step: they may be long. */
export function* validateLists(object: unknown, node: SchemaNode | undefined): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  yield* check(object, node, [], errors, new Pace());
  return errors;
}

type Step = string | number | { readonly key: string };

function* check(value: unknown, node: SchemaNode | undefined, path: Step[], errors: FieldError[], pace: Pace): Steps<void> {
  if (typeof value !== 'object' || value === null || node === undefined) return;
  if (pace.due()) yield;
  if (Array.isArray(value)) {
    const type = node.schema['x-kubernetes-list-type'];
    if (type === 'set') for (const i of yield* repeated(value, pace)) errors.push(duplicate(at(path).index(i), value[i]));
    else if (type === 'map') yield* checkMap(value, node.schema['x-kubernetes-list-map-keys'] ?? [], path, errors, pace);
    const { items } = node;
    if (items === undefined) return;
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] !== 'object') continue;
      path.push(i);
      yield* check(value[i], items, path, errors, pace);
      path.pop();
    }
    return;
  }
  for (const key in value) {
    const child = (value as Dictionary)[key];
    if (typeof child !== 'object' || child === null) continue;
    const own = node.property(key);
    path.push(own ? key : { key });
    yield* check(child, own ?? node.additional, path, errors, pace);
    path.pop();
  }
}

function* checkMap(list: readonly unknown[], keys: readonly string[], path: Step[], errors: FieldError[], pace: Pace): Steps<void> {
  const wrong = list.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)));
  if (wrong >= 0) return void errors.push(invalid(at(path).index(wrong), list[wrong], 'must be an object for an array of list-type map'));
  const keysOf = (item: unknown): Dictionary => Object.fromEntries(keys.flatMap((key) => (item !== null && Object.hasOwn(item as object, key) ? [[key, (item as Dictionary)[key]]] : [])));
  for (const i of yield* repeated(list, pace, keysOf)) errors.push(duplicate(at(path).index(i), keysOf(list[i])));
}

/** Where each value that is there more than once comes for the second time. `of`: what of an item is compared. */
function* repeated(list: readonly unknown[], pace: Pace, of = (item: unknown): unknown => item): Steps<number[]> {
  if (list.length <= 1) return [];
  const seen = new Map<string, number>();
  const found: number[] = [];
  for (let i = 0; i < list.length; i++) {
    if (pace.due()) yield;
    const item = of(list[i]);
    const text = `${typeof item} ${canonical(item)}`;
    const times = seen.get(text) ?? 0;
    if (times === 1) found.push(i);
    seen.set(text, times + 1);
  }
  return found;
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical((value as Dictionary)[key])}`).join(',')}}`;
}

function at(steps: readonly Step[]): FieldPath {
  let path = FieldPath.root;
  for (const step of steps) path = typeof step === 'number' ? path.index(step) : typeof step === 'string' ? path.child(step) : path.key(step.key);
  return path;
}
