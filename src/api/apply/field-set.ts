import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, type Dictionary } from './atom.js';
import { LEAF, memberNode, ordered, orderedFields, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { elementsOf } from './list-element.js';
import { fieldElement } from './path-element.js';

/** The fields that an object sets: what an applier owns of its configuration. The object must have been checked against the type. */
export function fieldSetOf(type: ApplyType, object: unknown): FieldTree {
  return nodeOf(type, object) ?? LEAF;
}

/** Undefined: nothing at or below the value. */
function nodeOf(type: ApplyType, value: unknown): FieldTree | undefined {
  switch (atomOf(type, value)) {
    case 'scalar':
      return LEAF;
    case 'list':
      if (type.list!.atomic) return LEAF;
      return Array.isArray(value) ? listNode(type.list!, value) : undefined;
    case 'map':
      if (type.map!.atomic) return LEAF;
      return isDictionary(value) ? mapNode(type.map!, value) : undefined;
  }
}

function mapNode(rule: MapRule, object: Dictionary): FieldTree | undefined {
  const result: FieldTreeDraft = {};
  let some = false;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const field = rule.fields.get(name);
    const type = field?.type ?? rule.element;
    let node = type && nodeOf(type, value);
    if (field === undefined || value === null || (isDictionary(value) && isEmptyDictionary(value))) node = memberNode(node);
    if (node === undefined) continue;
    result[field?.element ?? fieldElement(name)] = node;
    some = true;
  }
  return some ? orderedFields(result) : undefined;
}

function listNode(rule: ListRule, items: readonly unknown[]): FieldTree | undefined {
  if (items.length === 0) return undefined;
  const result: FieldTreeDraft = {};
  elementsOf(rule, items).forEach((element, i) => {
    // Elements of one step are owned as one.
    result[element] = element in result ? LEAF : memberNode(nodeOf(rule.element, items[i]));
  });
  return ordered(result);
}
