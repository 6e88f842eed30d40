import { goText, goVerbText, isObject, type JsonObject } from './json.js';
import { inapplicableError, wrongPatchError } from './patch-error.js';

/** What a list's field says about merging it. */
export interface ListRules {
  /** False: the patch replaces the list. */
  readonly merged: boolean;
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
  mergeItems(original: JsonObject, patch: JsonObject): JsonObject;
  withoutDirectives(list: readonly unknown[]): unknown[];
}

const DIRECTIVE = '$patch';

/**
 * Merges a list of the patch into the current one. The order of the result: what the patch names comes in its order, the rest keeps its place among them.
 * With `isDeleteList` the patch lists the scalars to remove.
 */
export function mergeLists(original: readonly unknown[], patch: readonly unknown[], rules: ListRules, isDeleteList: boolean): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (!holdsObjects(original, patch)) {
    if (isDeleteList) {
      const gone = new Set(patch);
      return original.filter((item) => !gone.has(item));
    }
    const merged = [...new Set([...original, ...patch])];
    if (rules.mergeKey !== '') throw badItem(merged[0]);
    return inOrder(merged, patch, original, '');
  }
  if (rules.mergeKey === '') throw wrongPatchError('cannot merge lists without merge key for struct');
  const { mergeKey } = rules;
  const { remaining, additions } = applyItemDirectives(original, patch, mergeKey);
  const merged = [...remaining];
  const found = places(merged, (item) => (item as JsonObject)[mergeKey]);
  for (const item of additions) {
    const key = keyOf(item, mergeKey);
    const at = found.get(key);
    if (at !== undefined) merged[at] = rules.mergeItems(merged[at] as JsonObject, item as JsonObject);
    else found.set(key, merged.push(item) - 1);
  }
  return inOrder(merged, additions, remaining, mergeKey);
}

/** The same under a `$setElementOrder` directive; undefined when there is no list on either side. */
export function orderLists(
  original: readonly unknown[] | undefined,
  patch: readonly unknown[] | undefined,
  order: readonly unknown[],
  rules: ListRules,
): unknown[] | undefined {
  checkOrder(patch ?? [], order, rules.mergeKey);
  let merged: readonly unknown[];
  if (original === undefined) {
    if (patch === undefined) return undefined;
    merged = rules.withoutDirectives(patch);
  } else if (patch === undefined) {
    merged = original;
  } else {
    merged = rules.merged ? mergeLists(original, patch, rules, false) : patch;
  }
  if ((original?.length ?? 0) + (patch?.length ?? 0) === 0) throw wrongPatchError('no elements in any of the given slices');
  return inOrder(merged, order, original ?? [], rules.mergeKey);
}

/** `$patch` in items: removes them from the current list, or replaces the whole list. */
function applyItemDirectives(original: readonly unknown[], patch: readonly unknown[], mergeKey: string): { remaining: readonly unknown[]; additions: readonly unknown[] } {
  const deleted = new Set<unknown>();
  let replace = false;
  const additions: unknown[] = [];
  for (const item of patch as readonly JsonObject[]) {
    if (!Object.hasOwn(item, DIRECTIVE)) {
      additions.push(item);
      continue;
    }
    switch (item[DIRECTIVE]) {
      case 'delete':
        deleted.add(keyOf(item, mergeKey));
        break;
      case 'replace':
        replace = true;
        break;
      case 'merge':
        throw wrongPatchError('merging lists cannot yet be specified in the patch');
      default:
        throw wrongPatchError(`unknown patch type: ${goVerbText(item[DIRECTIVE])} in map: ${goText(item)}`);
    }
  }
  if (replace) return { remaining: additions, additions: [] };
  return { remaining: deleted.size === 0 ? original : original.filter((item) => !deleted.has((item as JsonObject)[mergeKey])), additions };
}

/** Items that `order` names in its order, the others in the current order, the two interleaved by the current order. */
function inOrder(items: readonly unknown[], order: readonly unknown[], current: readonly unknown[], mergeKey: string): unknown[] {
  const id = (item: unknown): unknown => (mergeKey === '' ? item : keyOf(item, mergeKey));
  const stray = mergeKey === '' ? -1 : order.findIndex((item) => !isObject(item));
  if (stray >= 0) throw wrongPatchError(`value for key ${stray} is not a map`);
  const wanted = places(order, id);
  const present = places(current, id);
  const named = items.filter((item) => wanted.has(id(item))).sort((a, b) => wanted.get(id(a))! - wanted.get(id(b))!);
  const others = items.filter((item) => !wanted.has(id(item)));
  const result: unknown[] = [];
  let i = 0;
  for (const item of named) {
    const place = present.get(id(item));
    // Only items that both have a place now can be compared.
    while (i < others.length && place !== undefined && present.has(id(others[i])) && present.get(id(others[i]))! < place) result.push(others[i++]);
    result.push(item);
  }
  return [...result, ...others.slice(i)];
}

function places(list: readonly unknown[], id: (item: unknown) => unknown): Map<unknown, number> {
  const map = new Map<unknown, number>();
  list.forEach((item, i) => {
    const key = id(item);
    if (!map.has(key)) map.set(key, i);
  });
  return map;
}

/** The items of the patch must all be in the order, in the same order. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const id = (item: unknown): unknown => (mergeKey === '' ? item : keyOf(item, mergeKey));
  let at = 0;
  for (const item of patch) {
    if (mergeKey !== '' && isObject(item) && Object.hasOwn(item, DIRECTIVE)) continue;
    const key = id(item);
    while (at < order.length && id(order[at]) !== key) at++;
    if (at === order.length) throw wrongPatchError(`The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
    at++;
  }
}

/** Whether the items are objects; all must be of one type, and none a list. */
function holdsObjects(...lists: readonly (readonly unknown[])[]): boolean {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const current = isObject(item) ? 'object' : Array.isArray(item) ? 'list' : item === null ? 'null' : typeof item;
      if (type === undefined && current === 'list') throw inapplicableError('lists of lists are not supported');
      if (type !== undefined && type !== current) throw wrongPatchError(`list element types are not identical: ${goText(lists)}`);
      type = current;
    }
  }
  return type === 'object';
}

function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw badItem(item);
  if (!Object.hasOwn(item, mergeKey)) throw wrongPatchError(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
  return item[mergeKey];
}

function badItem(item: unknown): Error {
  return wrongPatchError(`expected a map[string]interface {}, but received a ${item === null ? '%!s(<nil>)' : typeof item}`);
}
