import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, own, type Dictionary } from './atom.js';
import { addItem, compareEntry, compareGone, compareItems, compareValues, compareObjects, everythingIn, Grouped, isEmptyValue, isGone, nodeOfField, NOTHING, withAbsent, type Comparison, type Difference, type Maps, type Prepared } from './compare.js';
import { orderedSteps, listOfSteps } from './field-tree-steps.js';
import { LEAF, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { isHeavy } from '../helpers/heavy.js';
import { elementsOfSteps } from './list-element.js';
import { fieldElement, SELF } from './path-element.js';
import { sameValueSteps } from './same-value-steps.js';
import { sortedKeysSteps } from './sort-steps.js';

/** `compareObjects` with pauses. */
export function* compareSteps(type: ApplyType, before: unknown, after: unknown, checked: boolean): Steps<Comparison | undefined> {
  if (!isHeavy(before) && !isHeavy(after)) return compareObjects(type, before, after, checked);
  const found = yield* inOrder(yield* valueSteps(type, before, after, checked));
  return found && { added: found.added ?? LEAF, modified: found.modified ?? LEAF, removed: found.removed ?? LEAF };
}

/** What is neither two maps nor two lists is compared at once. */
function* valueSteps(type: ApplyType, before: unknown, after: unknown, checked: boolean): Steps<Difference | undefined> {
  if (before === after) return undefined;
  if (isHeavy(before) || isHeavy(after)) {
    yield;
    const old = atomOf(type, before);
    if (old === atomOf(type, after) || before === null) {
      const { map, list } = type;
      if (map && !map.atomic && isDictionary(after) && (isDictionary(before) || before === null)) {
        return yield* mapSteps({ rule: map, before: before ?? NOTHING, after, checked, beforeIs: before !== null, afterIs: true });
      }
      if (list && !list.atomic && Array.isArray(before) && Array.isArray(after)) return yield* listSteps(list, before, after, checked);
      if ((map?.atomic ?? list?.atomic) === true) return (yield* sameValueSteps(before, after)) ? undefined : { modified: LEAF };
    }
  }
  return compareValues(type, before, after, checked);
}

function* mapSteps(maps: Maps): Steps<Difference | undefined> {
  const { rule, before, after, checked } = maps;
  let found: Difference | undefined;
  let done = 0;
  for (const name in after) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    found = compareEntry(maps, name, found, yield* prepared(typeIn(rule, name), own(before, name), after[name], checked, rule.fields.get(name)?.nullWhenAbsent));
  }
  for (const name in before) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (isGone(before, after, name)) found = compareGone(maps, name, found, yield* prepared(typeIn(rule, name), before[name], undefined, checked, rule.fields.get(name)?.nullWhenAbsent));
  }
  return found;
}

function typeIn(rule: MapRule, name: string): ApplyType | undefined {
  return rule.fields.get(name)?.type ?? rule.element;
}

/** What takes long to find out about two values, of which one may be absent. `absentIsNull`: absence may stand for null. */
function* prepared(type: ApplyType | undefined, before: unknown, after: unknown, checked: boolean, absentIsNull = false): Steps<Prepared | undefined> {
  if (type === undefined || before === after || !(isHeavy(before) || isHeavy(after))) return undefined;
  const both = absentIsNull || (before !== undefined && after !== undefined);
  const one = isNothing(before) ? after : isNothing(after) ? before : undefined;
  return {
    compared: both ? yield* inOrder(yield* valueSteps(type, before ?? null, after ?? null, checked)) : undefined,
    everything: one === undefined ? undefined : yield* everythingSteps(type, one, checked),
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || isEmptyValue(value);
}

function* inOrder(found: Difference | undefined): Steps<Difference | undefined> {
  return found && { added: found.added && (yield* orderedSteps(found.added)), modified: found.modified && (yield* orderedSteps(found.modified)), removed: found.removed && (yield* orderedSteps(found.removed)) };
}

function* listSteps(rule: ListRule, before: readonly unknown[], after: readonly unknown[], checked: boolean): Steps<Difference | undefined> {
  if (yield* sameValueSteps(before, after)) return undefined;
  const old = new Grouped(yield* elementsOfSteps(rule, before), before);
  yield;
  const next = new Grouped(yield* elementsOfSteps(rule, after), after);
  let found: Difference | undefined;
  let done = 0;
  for (const [element, item] of old.items) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    found = compareItems(rule, old, next, element, found, checked, yield* prepared(rule.element, item, next.items.get(element), checked));
  }
  for (const [element, item] of next.items) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (!old.items.has(element)) found = addItem(rule, old, next, element, found, checked, yield* prepared(rule.element, undefined, item, checked));
  }
  return found;
}

function* everythingSteps(type: ApplyType, value: unknown, checked: boolean): Steps<FieldTree> {
  if (!isHeavy(value)) return everythingIn(type, value, checked);
  yield;
  const atom = atomOf(type, value);
  if (atom === 'list' && !type.list!.atomic && Array.isArray(value)) return yield* everyItem(type.list!, value, checked);
  if (atom === 'map' && !type.map!.atomic && isDictionary(value)) return yield* everyField(type.map!, value, checked);
  return everythingIn(type, value, checked);
}

function* everyItem(rule: ListRule, items: readonly unknown[], checked: boolean): Steps<FieldTree> {
  const elements = yield* elementsOfSteps(rule, items);
  if (rule.keys.length === 0) return yield* listOfSteps(elements, undefined, true);
  const nodes: FieldTree[] = [];
  for (const item of items) {
    nodes.push(yield* everythingSteps(rule.element, item, checked));
    if (nodes.length % ENTRIES_PER_STEP === 0) yield;
  }
  return yield* listOfSteps(elements, nodes, true);
}

function* everyField(rule: MapRule, value: Dictionary, checked: boolean): Steps<FieldTree> {
  const result: FieldTreeDraft = { [SELF]: LEAF };
  let done = 0;
  for (const name of withAbsent(rule, value, yield* sortedKeysSteps(value), checked)) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const type = typeIn(rule, name);
    const node = type && isHeavy(value[name]) ? yield* everythingSteps(type, value[name], checked) : nodeOfField(rule, value, name, checked);
    if (node) result[rule.fields.get(name)?.element ?? fieldElement(name)] = node;
  }
  return result;
}
