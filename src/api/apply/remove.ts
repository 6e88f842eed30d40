import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, set, type Dictionary } from './atom.js';
import { hasChildren, isMember, type FieldTree } from './field-tree.js';
import { isHeavy } from '../helpers/heavy.js';
import { elementsOf, elementsOfSteps } from './list-element.js';
import { fieldElement } from './path-element.js';

/** The object without the members of a set. Undefined when nothing is left. Atomic values go only as a whole. */
export function removeFields(type: ApplyType, value: unknown, fields: FieldTree): unknown {
  switch (atomOf(type, value)) {
    case 'scalar':
      return value;
    case 'list':
      if (type.list!.atomic || !Array.isArray(value) || value.length === 0) return undefined;
      return removeFromList(type.list!, value, fields);
    case 'map':
      if (type.map!.atomic || !isDictionary(value) || isEmptyDictionary(value)) return undefined;
      return removeFromMap(type.map!, value, fields);
  }
}

function removeFromMap(rule: MapRule, object: Dictionary, fields: FieldTree): Dictionary | undefined {
  const result: Record<string, unknown> = {};
  let touched = false;
  for (const name in object) {
    const field = rule.fields.get(name);
    const node = fields[field?.element ?? fieldElement(name)];
    let value = object[name];
    if (node !== undefined) {
      if (isMember(node)) continue;
      touched = true;
      value = within(field?.type ?? rule.element, value, node);
    }
    set(result, name, value);
  }
  return touched || !isEmptyDictionary(result) ? result : undefined;
}

function removeFromList(rule: ListRule, items: readonly unknown[], fields: FieldTree): unknown[] | undefined {
  const result: unknown[] = [];
  let touched = false;
  elementsOf(rule, items).forEach((element, i) => {
    const node = fields[element];
    if (node === undefined) {
      result.push(items[i]);
    } else if (!isMember(node)) {
      touched = true;
      result.push(within(rule.element, items[i], node));
    }
  });
  return touched || result.length > 0 ? result : undefined;
}

/** {@link removeFields} with pauses. */
export function* removeSteps(type: ApplyType, value: unknown, fields: FieldTree): Steps<unknown> {
  if (!isHeavy(value)) return removeFields(type, value, fields);
  yield;
  const atom = atomOf(type, value);
  if (atom === 'map' && !type.map!.atomic && isDictionary(value)) return yield* removeFromMapSteps(type.map!, value, fields);
  if (atom === 'list' && !type.list!.atomic && Array.isArray(value)) return yield* removeFromListSteps(type.list!, value, fields);
  return removeFields(type, value, fields);
}

function* removeFromMapSteps(rule: MapRule, object: Dictionary, fields: FieldTree): Steps<Dictionary | undefined> {
  const result: Record<string, unknown> = {};
  let stays = false;
  let done = 0;
  for (const name in object) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const field = rule.fields.get(name);
    const node = fields[field?.element ?? fieldElement(name)];
    if (node !== undefined && isMember(node)) continue;
    const value = object[name];
    const left = node === undefined ? value : yield* withinSteps(field?.type ?? rule.element, value, node);
    set(result, name, left);
    stays ||= node !== undefined || left !== undefined;
  }
  return stays ? result : undefined;
}

function* removeFromListSteps(rule: ListRule, items: readonly unknown[], fields: FieldTree): Steps<unknown[] | undefined> {
  const result: unknown[] = [];
  const elements = yield* elementsOfSteps(rule, items);
  for (let i = 0; i < items.length; i++) {
    if (i % ENTRIES_PER_STEP === 0) yield;
    const node = fields[elements[i]!];
    if (node === undefined) result.push(items[i]);
    else if (!isMember(node)) result.push(yield* withinSteps(rule.element, items[i], node));
  }
  return result.length > 0 ? result : undefined;
}

function* withinSteps(type: ApplyType | undefined, value: unknown, node: FieldTree): Steps<unknown> {
  if (type === undefined || !isHeavy(value)) return within(type, value, node);
  return (yield* removeSteps(type, value, node)) ?? emptyLike(value);
}

/** A list or map that loses parts stays, even without any. */
function within(type: ApplyType | undefined, value: unknown, node: FieldTree): unknown {
  if (type === undefined) return value;
  return removeFields(type, value, node) ?? emptyLike(value);
}

/** The part of an object that a set names: what a manager owns of it, with the keys of list elements. Undefined when there is nothing. */
export function extractFields(type: ApplyType, value: unknown, fields: FieldTree): unknown {
  switch (atomOf(type, value)) {
    case 'scalar':
      return value;
    case 'list':
      if (type.list!.atomic || !Array.isArray(value) || value.length === 0) return value;
      return extractFromList(type.list!, value, fields);
    case 'map':
      if (type.map!.atomic || !isDictionary(value) || isEmptyDictionary(value)) return value;
      return extractFromMap(type.map!, value, fields);
  }
}

function extractFromMap(rule: MapRule, object: Dictionary, fields: FieldTree): Dictionary | undefined {
  const result: Record<string, unknown> = {};
  for (const name in object) {
    const field = rule.fields.get(name);
    const node = fields[field?.element ?? fieldElement(name)];
    const type = field?.type ?? rule.element;
    if (node === undefined || type === undefined) continue;
    const value = extractFields(type, object[name], node) ?? (isMember(node) ? emptyLike(object[name]) : undefined);
    if (value !== undefined) set(result, name, value);
  }
  return isEmptyDictionary(result) ? undefined : result;
}

function extractFromList(rule: ListRule, items: readonly unknown[], fields: FieldTree): unknown[] | undefined {
  const result: unknown[] = [];
  elementsOf(rule, items).forEach((element, i) => {
    const node = fields[element];
    if (node === undefined) return;
    const item = items[i];
    const part = hasChildren(node) ? (extractFields(rule.element, item, node) ?? emptyLike(item)) : isDictionary(item) ? {} : item;
    result.push(isDictionary(item) && isDictionary(part) ? { ...keysOf(rule, item), ...part } : part);
  });
  return result.length > 0 ? result : undefined;
}

function keysOf(rule: ListRule, item: Dictionary): Dictionary {
  return Object.fromEntries(rule.keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

function emptyLike(value: unknown): unknown {
  return Array.isArray(value) ? [] : isDictionary(value) ? {} : value;
}
