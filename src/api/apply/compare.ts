import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, own, sameValue, sortedKeys, type Atom, type Dictionary } from './atom.js';
import { LEAF, listOf, ordered, union, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { elementsOf } from './list-element.js';
import { fieldElement, SELF, type PathElement } from './path-element.js';

/** What has changed between two objects. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldTree;
  readonly modified: FieldTree;
  readonly removed: FieldTree;
}

/** The same while it is being found. */
export interface Difference {
  added?: FieldTree | undefined;
  modified?: FieldTree | undefined;
  removed?: FieldTree | undefined;
}

/**
 * Compares two objects of a type; undefined when they are the same. `checked`: a built-in type has checked both, so that empty optional lists and maps
 * stand for nothing and absent required ones for null. Throws a `TypedError` for lists whose elements have no keys.
 */
export function compareObjects(type: ApplyType, before: unknown, after: unknown, checked: boolean): Comparison | undefined {
  const found = compareValues(type, before, after, checked);
  return found && { added: ordered(found.added ?? LEAF), modified: ordered(found.modified ?? LEAF), removed: ordered(found.removed ?? LEAF) };
}

const MODIFIED: Difference = { modified: LEAF };

/** Both values are present. */
export function compareValues(type: ApplyType, before: unknown, after: unknown, checked: boolean): Difference | undefined {
  if (before === after) return undefined;
  const old = atomOf(type, before);
  const next = atomOf(type, after);
  if (old === next || before === null || after === null) return compareAs(before === null ? next : old, type, before, after, checked);
  const first = compareAs(old, type, before, after, checked);
  const second = compareAs(next, type, before, after, checked);
  return { added: union(first?.added, second?.added), modified: union(first?.modified, second?.modified), removed: union(first?.removed, second?.removed) };
}

function compareAs(atom: Atom, type: ApplyType, before: unknown, after: unknown, checked: boolean): Difference | undefined {
  if (atom === 'list') {
    const left = Array.isArray(before) ? (before as readonly unknown[]) : [];
    const right = Array.isArray(after) ? (after as readonly unknown[]) : [];
    if (!type.list!.atomic && (left.length > 0 || right.length > 0)) return compareLists(type.list!, left, right, checked);
  } else if (atom === 'map') {
    const left = isDictionary(before) ? before : NOTHING;
    const right = isDictionary(after) ? after : NOTHING;
    if (!type.map!.atomic) {
      // A null struct has no fields of its own, not even absent ones.
      const found = compareMaps(type.map!, left, right, checked, left === before, right === after);
      // Whether an object of very many keys is empty takes long to find out.
      if (found !== undefined || !isEmptyDictionary(left) || !isEmptyDictionary(right)) return found;
    }
  }
  return sameValue(before, after) ? undefined : MODIFIED;
}

export const NOTHING: Dictionary = {};

function compareMaps(rule: MapRule, before: Dictionary, after: Dictionary, checked: boolean, beforeIs: boolean, afterIs: boolean): Difference | undefined {
  let found: Difference | undefined;
  const maps: Maps = { rule, before, after, checked, beforeIs, afterIs };
  for (const name in after) found = compareEntry(maps, name, found, undefined);
  for (const name in before) found = compareGone(maps, name, found, undefined);
  return found;
}

/** Two maps or structs that are compared. */
export interface Maps {
  readonly rule: MapRule;
  readonly before: Dictionary;
  readonly after: Dictionary;
  readonly checked: boolean;
  /** False: null stands where the struct would be. */
  readonly beforeIs: boolean;
  readonly afterIs: boolean;
}

/** What was found out about large values in advance, all of it in order. */
export interface Prepared {
  /** Of values that are there on both sides. */
  readonly compared?: Difference | undefined;
  /** Of the value that is there on one side only. */
  readonly everything?: FieldTree | undefined;
}

/** Adds to `found` what is to be told about an entry that is there afterwards. */
export function compareEntry({ rule, before, after, checked, beforeIs }: Maps, name: string, found: Difference | undefined, prepared: Prepared | undefined): Difference | undefined {
  const next = after[name];
  const old = oldValue(before, name);
  if (next === old || next === undefined) return found;
  const field = rule.fields.get(name);
  const type = field?.type ?? rule.element;
  if (type === undefined) return found;
  if (typeof next !== 'object' && typeof old !== 'object' && old !== undefined && type.scalar !== undefined) return add(found, 'modified', field?.element ?? fieldElement(name), LEAF);
  const tolerant = checked && field !== undefined;
  let compared: Difference | undefined;
  if (tolerant && field.emptyIsAbsent && isDictionary(next) && isDictionary(old)) {
    // Maps that are the same need not be asked whether they are empty.
    compared = prepared ? prepared.compared : compareValues(type, old, next, checked);
    if (compared === undefined) return found;
  }
  const nextThere = !(tolerant && field.emptyIsAbsent && isEmptyValue(next));
  const oldThere = old !== undefined && !(tolerant && field.emptyIsAbsent && isEmptyValue(old));
  const oldNull = tolerant && field.nullWhenAbsent && beforeIs && !oldThere;
  if (!nextThere && !oldThere) return found;
  const element = field?.element ?? fieldElement(name);
  if (!nextThere) return add(found, 'removed', element, prepared?.everything ?? everythingIn(type, old, checked));
  if (!oldThere && !oldNull) return add(found, 'added', element, prepared?.everything ?? everythingIn(type, next, checked));
  if (prepared) return put(found, element, prepared.compared);
  return merge(found, element, (oldThere ? compared : undefined) ?? compareValues(type, oldThere ? old : null, next, checked));
}

/** Keys may be any text: what every object inherits is none of its own. */
function oldValue(before: Dictionary, name: string): unknown {
  const old = before[name];
  return typeof old === 'function' || name === '__proto__' ? own(before, name) : old;
}

/** Adds to `found` what is to be told about an entry that was there before, if it is there no more. */
export function compareGone({ rule, before, after, checked, afterIs }: Maps, name: string, found: Difference | undefined, prepared: Prepared | undefined): Difference | undefined {
  if (!isGone(before, after, name)) return found;
  const field = rule.fields.get(name);
  const type = field?.type ?? rule.element;
  if (type === undefined || (checked && field?.emptyIsAbsent && isEmptyValue(before[name]))) return found;
  const element = field?.element ?? fieldElement(name);
  if (checked && field?.nullWhenAbsent && afterIs) return prepared ? put(found, element, prepared.compared) : merge(found, element, compareValues(type, before[name], null, checked));
  return add(found, 'removed', element, prepared?.everything ?? everythingIn(type, before[name], checked));
}

/** Whether an entry was there and is no more. */
export function isGone(before: Dictionary, after: Dictionary, name: string): boolean {
  const there = after[name];
  return before[name] !== undefined && (there === undefined || typeof there === 'function' || name === '__proto__') && own(after, name) === undefined;
}

function compareLists(rule: ListRule, before: readonly unknown[], after: readonly unknown[], checked: boolean): Difference | undefined {
  if (sameValue(before, after)) return undefined;
  const old = new Grouped(elementsOf(rule, before), before);
  const next = new Grouped(elementsOf(rule, after), after);
  let found: Difference | undefined;
  for (const element of old.items.keys()) found = compareItems(rule, old, next, element, found, checked, undefined);
  for (const element of next.items.keys()) found = addItem(rule, old, next, element, found, checked, undefined);
  return found;
}

/** Adds to `found` what is to be told about elements of one step that were there before. */
export function compareItems(rule: ListRule, old: Grouped, next: Grouped, element: PathElement, found: Difference | undefined, checked: boolean, prepared: Prepared | undefined): Difference | undefined {
  const left = old.several?.get(element);
  const right = next.several?.get(element);
  const stays = next.items.has(element);
  const everything = (): FieldTree => prepared?.everything ?? everythingIn(rule.element, old.items.get(element), checked);
  if (!left && !right) {
    if (!stays) return add(found, 'removed', element, everything());
    return prepared ? put(found, element, prepared.compared) : merge(found, element, compareValues(rule.element, old.items.get(element), next.items.get(element), checked));
  }
  if (left && right) return sameValue(left, right) ? found : add(found, 'modified', element, LEAF);
  if (left) {
    // Several of one step are owned as one value, a single one field by field.
    const removed = add(found, 'removed', element, LEAF);
    return stays ? add(removed, 'added', element, everythingIn(rule.element, next.items.get(element), checked)) : removed;
  }
  return add(add(found, 'removed', element, everything()), 'added', element, LEAF);
}

/** Adds to `found` elements of a step that nothing had before. */
export function addItem(rule: ListRule, old: Grouped, next: Grouped, element: PathElement, found: Difference | undefined, checked: boolean, prepared: Prepared | undefined): Difference | undefined {
  if (old.items.has(element)) return found;
  return add(found, 'added', element, next.several?.has(element) ? LEAF : (prepared?.everything ?? everythingIn(rule.element, next.items.get(element), checked)));
}

/** The items of a list by their steps. */
export class Grouped {
  /** The first of each step. */
  readonly items = new Map<PathElement, unknown>();
  /** All of those steps that several items have; undefined: there are none. */
  several: Map<PathElement, unknown[]> | undefined;

  constructor(elements: readonly PathElement[], list: readonly unknown[]) {
    const { items } = this;
    elements.forEach((element, i) => {
      if (!items.has(element)) return items.set(element, list[i]);
      this.several ??= new Map();
      const group = this.several.get(element);
      if (group) return group.push(list[i]);
      return this.several.set(element, [items.get(element), list[i]]);
    });
  }
}

/** The node of a value that is there on one side only: each level of it is a member. */
export function everythingIn(type: ApplyType, value: unknown, checked: boolean): FieldTree {
  switch (atomOf(type, value)) {
    case 'scalar':
      return LEAF;
    case 'list': {
      const rule = type.list!;
      if (rule.atomic || !Array.isArray(value) || value.length === 0) return LEAF;
      return listOf(elementsOf(rule, value), rule.keys.length === 0 ? undefined : (i) => everythingIn(rule.element, value[i], checked), true);
    }
    case 'map': {
      const rule = type.map!;
      if (rule.atomic || !isDictionary(value)) return LEAF;
      const result: FieldTreeDraft = { [SELF]: LEAF };
      let some = false;
      for (const name of withAbsent(rule, value, sortedKeys(value), checked)) {
        const node = nodeOfField(rule, value, name, checked);
        if (node === undefined) continue;
        some = true;
        result[rule.fields.get(name)?.element ?? fieldElement(name)] = node;
      }
      return some ? result : LEAF;
    }
  }
}

/** The sorted keys of a map together with the absent fields for which null stands. */
export function withAbsent(rule: MapRule, value: Dictionary, names: string[], checked: boolean): string[] {
  const absent = checked ? rule.nullable.filter(({ name }) => own(value, name) === undefined) : [];
  return absent.length > 0 ? [...names, ...absent.map(({ name }) => name)].sort() : names;
}

/** Undefined: there is nothing. */
export function nodeOfField(rule: MapRule, value: Dictionary, name: string, checked: boolean): FieldTree | undefined {
  const field = rule.fields.get(name);
  // Null stands where a required list is absent.
  const child = value[name] ?? (field?.nullWhenAbsent || value[name] === null ? null : undefined);
  if (child === undefined) return undefined;
  const type = field?.type ?? rule.element;
  if (type === undefined || (checked && field?.emptyIsAbsent && isEmptyValue(child))) return undefined;
  return type.scalar !== undefined && typeof child !== 'object' ? LEAF : everythingIn(type, child, checked);
}

export function isEmptyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length === 0 : isEmptyDictionary(value as Dictionary);
}

function add(found: Difference | undefined, set: keyof Difference, element: PathElement, node: FieldTree): Difference {
  const result = found ?? {};
  const tree = result[set] as FieldTreeDraft | undefined;
  if (tree) tree[element] = node;
  else result[set] = { [element]: node };
  return result;
}

function merge(found: Difference | undefined, element: PathElement, child: Difference | undefined): Difference | undefined {
  if (child === undefined) return found;
  const { added, modified, removed } = child;
  return put(found, element, { added: added && ordered(added), modified: modified && ordered(modified), removed: removed && ordered(removed) });
}

/** Adds what is below an element, which is in order. */
function put(found: Difference | undefined, element: PathElement, child: Difference | undefined): Difference | undefined {
  let result = found;
  if (child?.added) result = add(result, 'added', element, child.added);
  if (child?.modified) result = add(result, 'modified', element, child.modified);
  if (child?.removed) result = add(result, 'removed', element, child.removed);
  return result;
}
