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

interface Difference {
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
function compareValues(type: ApplyType, before: unknown, after: unknown, checked: boolean): Difference | undefined {
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

const NOTHING: Dictionary = {};

function compareMaps(rule: MapRule, before: Dictionary, after: Dictionary, checked: boolean, beforeIs: boolean, afterIs: boolean): Difference | undefined {
  let found: Difference | undefined;
  for (const name in after) {
    const next = after[name];
    let old = before[name];
    if (next === old || next === undefined) continue;
    // Keys may be any text: what every object inherits is none of its own.
    if (typeof old === 'function' || name === '__proto__') old = own(before, name);
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    if (type === undefined) continue;
    if (typeof next !== 'object' && typeof old !== 'object' && old !== undefined && type.scalar !== undefined) {
      found = add(found, 'modified', field?.element ?? fieldElement(name), LEAF);
      continue;
    }
    const tolerant = checked && field !== undefined;
    let compared: Difference | undefined;
    if (tolerant && field.emptyIsAbsent && isDictionary(next) && isDictionary(old)) {
      // Maps that are the same need not be asked whether they are empty.
      compared = compareValues(type, old, next, checked);
      if (compared === undefined) continue;
    }
    const nextThere = !(tolerant && field.emptyIsAbsent && isEmptyValue(next));
    const oldThere = old !== undefined && !(tolerant && field.emptyIsAbsent && isEmptyValue(old));
    const oldNull = tolerant && field.nullWhenAbsent && beforeIs && !oldThere;
    if (!nextThere && !oldThere) continue;
    const element = field?.element ?? fieldElement(name);
    if (!nextThere) found = add(found, 'removed', element, everythingIn(type, old, checked));
    else if (oldThere || oldNull) found = merge(found, element, (oldThere ? compared : undefined) ?? compareValues(type, oldThere ? old : null, next, checked));
    else found = add(found, 'added', element, everythingIn(type, next, checked));
  }
  for (const name in before) {
    const there = after[name];
    if (before[name] === undefined || (there !== undefined && typeof there !== 'function' && name !== '__proto__') || own(after, name) !== undefined) continue;
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    if (type === undefined || (checked && field?.emptyIsAbsent && isEmptyValue(before[name]))) continue;
    const element = field?.element ?? fieldElement(name);
    if (checked && field?.nullWhenAbsent && afterIs) found = merge(found, element, compareValues(type, before[name], null, checked));
    else found = add(found, 'removed', element, everythingIn(type, before[name], checked));
  }
  return found;
}

function compareLists(rule: ListRule, before: readonly unknown[], after: readonly unknown[], checked: boolean): Difference | undefined {
  if (sameValue(before, after)) return undefined;
  const old = new Grouped(rule, before);
  const next = new Grouped(rule, after);
  let found: Difference | undefined;
  for (const [element, item] of old.items) {
    const left = old.several?.get(element);
    const right = next.several?.get(element);
    const stays = next.items.has(element);
    if (!left && !right) {
      if (stays) found = merge(found, element, compareValues(rule.element, item, next.items.get(element), checked));
      else found = add(found, 'removed', element, everythingIn(rule.element, item, checked));
    } else if (left && right) {
      if (!sameValue(left, right)) found = add(found, 'modified', element, LEAF);
    } else if (left) {
      // Several of one step are owned as one value, a single one field by field.
      found = add(found, 'removed', element, LEAF);
      if (stays) found = add(found, 'added', element, everythingIn(rule.element, next.items.get(element), checked));
    } else {
      found = add(found, 'removed', element, everythingIn(rule.element, item, checked));
      found = add(found, 'added', element, LEAF);
    }
  }
  for (const [element, item] of next.items) {
    if (!old.items.has(element)) found = add(found, 'added', element, next.several?.has(element) ? LEAF : everythingIn(rule.element, item, checked));
  }
  return found;
}

/** The items of a list by their steps. */
class Grouped {
  /** The first of each step. */
  readonly items = new Map<PathElement, unknown>();
  /** All of those steps that several items have; undefined: there are none. */
  several: Map<PathElement, unknown[]> | undefined;

  constructor(rule: ListRule, list: readonly unknown[]) {
    const { items } = this;
    elementsOf(rule, list).forEach((element, i) => {
      if (!items.has(element)) return items.set(element, list[i]);
      this.several ??= new Map();
      const group = this.several.get(element);
      if (group) return group.push(list[i]);
      return this.several.set(element, [items.get(element), list[i]]);
    });
  }
}

/** The node of a value that is there on one side only: each level of it is a member. */
function everythingIn(type: ApplyType, value: unknown, checked: boolean): FieldTree {
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
      const names = sortedKeys(value);
      const absent = checked ? rule.nullable.filter(({ name }) => own(value, name) === undefined) : [];
      if (absent.length > 0) {
        for (const { name } of absent) names.push(name);
        names.sort();
      }
      for (const name of names) {
        const field = rule.fields.get(name);
        // Null stands where a required list is absent.
        const child = value[name] ?? (field?.nullWhenAbsent || value[name] === null ? null : undefined);
        if (child === undefined) continue;
        const childType = field?.type ?? rule.element;
        if (childType === undefined || (checked && field?.emptyIsAbsent && isEmptyValue(child))) continue;
        some = true;
        result[field?.element ?? fieldElement(name)] = childType.scalar !== undefined && typeof child !== 'object' ? LEAF : everythingIn(childType, child, checked);
      }
      return some ? result : LEAF;
    }
  }
}

function isEmptyValue(value: unknown): boolean {
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
  let result = found;
  if (child.added) result = add(result, 'added', element, ordered(child.added));
  if (child.modified) result = add(result, 'modified', element, ordered(child.modified));
  if (child.removed) result = add(result, 'removed', element, ordered(child.removed));
  return result;
}
