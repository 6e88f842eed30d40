import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, sortedKeys, type Dictionary } from './atom.js';
import { LEAF, listOf, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { listOfSteps } from './field-tree-steps.js';
import { isHeavy } from '../helpers/heavy.js';
import { elementsOf, elementsOfSteps } from './list-element.js';
import { fieldElement, SELF } from './path-element.js';
import { sortedKeysSteps } from './sort-steps.js';

/** The fields that an object sets: what an applier owns of its configuration. The object must have been checked against the type. */
export function fieldSetOf(type: ApplyType, object: unknown): FieldTree {
  return nodeOf(type, object) ?? LEAF;
}

/** Undefined: nothing at or below the value. `member`: the value itself is in the set. */
function nodeOf(type: ApplyType, value: unknown, member = false): FieldTree | undefined {
  const none = member ? LEAF : undefined;
  switch (atomOf(type, value)) {
    case 'scalar':
      return LEAF;
    case 'list':
      if (type.list!.atomic) return LEAF;
      return Array.isArray(value) ? listNode(type.list!, value, member) : none;
    case 'map':
      if (type.map!.atomic) return LEAF;
      return isDictionary(value) ? mapNode(type.map!, value, member) : none;
  }
}

/** {@link fieldSetOf} with pauses. */
export function* fieldSetSteps(type: ApplyType, object: unknown): Steps<FieldTree> {
  return (yield* nodeSteps(type, object, false)) ?? LEAF;
}

function* nodeSteps(type: ApplyType, value: unknown, member: boolean): Steps<FieldTree | undefined> {
  if (!isHeavy(value)) return nodeOf(type, value, member);
  yield;
  const atom = atomOf(type, value);
  if (atom === 'map' && !type.map!.atomic && isDictionary(value)) return yield* mapSteps(type.map!, value, member);
  if (atom === 'list' && !type.list!.atomic && Array.isArray(value)) return yield* listSteps(type.list!, value, member);
  return nodeOf(type, value, member);
}

function* mapSteps(rule: MapRule, object: Dictionary, member: boolean): Steps<FieldTree | undefined> {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  let found = 0;
  let done = 0;
  for (const name of yield* sortedKeysSteps(object)) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const value = object[name];
    if (value === undefined) continue;
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    const isMember = field === undefined || value === null;
    const inside = type && isHeavy(value) ? yield* nodeSteps(type, value, isMember) : valueNode(type, value, isMember);
    const node = inside ?? emptyNode(value);
    if (node === undefined) continue;
    result[field?.element ?? fieldElement(name)] = node;
    found++;
  }
  return found > 0 || member ? result : undefined;
}

function* listSteps(rule: ListRule, items: readonly unknown[], member: boolean): Steps<FieldTree> {
  const elements = yield* elementsOfSteps(rule, items);
  if (rule.keys.length === 0) return yield* listOfSteps(elements, undefined, member);
  const nodes: FieldTree[] = [];
  for (let i = 0; i < items.length; i++) {
    nodes.push((isHeavy(items[i]) ? yield* nodeSteps(rule.element, items[i], true) : nodeOf(rule.element, items[i], true)) ?? LEAF);
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  return yield* listOfSteps(elements, nodes, member);
}

function valueNode(type: ApplyType | undefined, value: unknown, member: boolean): FieldTree | undefined {
  return type ? nodeOf(type, value, member) : member ? LEAF : undefined;
}

/** An empty map is in the set, whatever it is declared as. */
function emptyNode(value: unknown): FieldTree | undefined {
  return isDictionary(value) && isEmptyDictionary(value) ? LEAF : undefined;
}

function mapNode(rule: MapRule, object: Dictionary, member: boolean): FieldTree | undefined {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  let some = false;
  for (const name of sortedKeys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    const isMember = field === undefined || value === null;
    const node = valueNode(type, value, isMember) ?? emptyNode(value);
    if (node === undefined) continue;
    result[field?.element ?? fieldElement(name)] = node;
    some = true;
  }
  if (!some) return member ? LEAF : undefined;
  return result;
}

function listNode(rule: ListRule, items: readonly unknown[], member: boolean): FieldTree | undefined {
  if (items.length === 0) return member ? LEAF : undefined;
  return listOf(elementsOf(rule, items), rule.keys.length === 0 ? undefined : (i) => nodeOf(rule.element, items[i], true) ?? LEAF, member);
}
