import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, sortedKeys, type Dictionary } from './atom.js';
import { LEAF, listOf, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { elementsOf } from './list-element.js';
import { fieldElement, SELF } from './path-element.js';

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

function mapNode(rule: MapRule, object: Dictionary, member: boolean): FieldTree | undefined {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  let some = false;
  for (const name of sortedKeys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    const isMember = field === undefined || value === null;
    let node = type ? nodeOf(type, value, isMember) : isMember ? LEAF : undefined;
    if (node === undefined) {
      if (!isDictionary(value) || !isEmptyDictionary(value)) continue;
      node = LEAF;
    }
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
