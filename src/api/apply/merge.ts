import { atOnce, ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, isEmptyDictionary, own, set, type Dictionary } from './atom.js';
import { isHeavy } from '../helpers/heavy.js';
import { elementsOfSteps } from './list-element.js';
import type { PathElement } from './path-element.js';

/** What an object becomes when a configuration is laid over it: the configuration wins, what it leaves out stays. Shares parts with both. */
export function mergeObjects(type: ApplyType, live: unknown, config: unknown): unknown {
  return mergeValues(type, live, config);
}

/** Undefined stands for absence; so does what comes out of lists and maps of which nothing is left. */
function mergeValues(type: ApplyType, live: unknown, config: unknown): unknown {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  switch (atomOf(type, config ?? live)) {
    case 'scalar':
      return config;
    case 'list': {
      const left = Array.isArray(live) ? live : [];
      const right = Array.isArray(config) ? config : [];
      if (type.list!.atomic || (left.length === 0 && right.length === 0)) return config;
      return mergeLists(type.list!, left, right);
    }
    case 'map': {
      const left = isDictionary(live) ? live : {};
      const right = isDictionary(config) ? config : {};
      if (type.map!.atomic || (isEmptyDictionary(right) && isEmptyDictionary(left))) return config;
      return mergeMaps(type.map!, left, right);
    }
  }
}

function mergeMaps(rule: MapRule, live: Dictionary, config: Dictionary): Dictionary | undefined {
  let result: Record<string, unknown> | undefined;
  for (const name in config) {
    const type = rule.fields.get(name)?.type ?? rule.element;
    const before = own(live, name);
    const value = type === undefined ? config[name] : mergeValues(type, before, config[name]);
    if (value === before && before !== undefined) continue;
    result ??= { ...live };
    if (value === undefined) delete result[name];
    else set(result, name, value);
  }
  const merged = result ?? live;
  return isEmptyDictionary(merged) ? undefined : merged;
}

/** {@link mergeObjects} with pauses. */
export function* mergeSteps(type: ApplyType, live: unknown, config: unknown): Steps<unknown> {
  if (config === undefined || live === undefined || live === config || !(isHeavy(live) || isHeavy(config))) return mergeValues(type, live, config);
  yield;
  const atom = atomOf(type, config ?? live);
  if (atom === 'map' && !type.map!.atomic) return yield* mergeMapsSteps(type.map!, isDictionary(live) ? live : {}, isDictionary(config) ? config : {});
  if (atom === 'list' && !type.list!.atomic) return yield* mergeListsSteps(type.list!, Array.isArray(live) ? live : [], Array.isArray(config) ? config : []);
  return config;
}

function* mergeMapsSteps(rule: MapRule, live: Dictionary, config: Dictionary): Steps<Dictionary | undefined> {
  const changes = new Map<string, unknown>();
  let done = 0;
  for (const name in config) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const type = rule.fields.get(name)?.type ?? rule.element;
    const before = own(live, name);
    const value = type === undefined ? config[name] : yield* mergeSteps(type, before, config[name]);
    if (value !== before || before === undefined) changes.set(name, value);
  }
  if (changes.size === 0) return live;
  const result: Record<string, unknown> = {};
  let some = false;
  for (const name in live) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const value = changes.has(name) ? changes.get(name) : live[name];
    changes.delete(name);
    if (value === undefined) continue;
    set(result, name, value);
    some = true;
  }
  for (const [name, value] of changes) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (value === undefined) continue;
    set(result, name, value);
    some = true;
  }
  return some ? result : undefined;
}

function mergeLists(rule: ListRule, live: readonly unknown[], config: readonly unknown[]): unknown[] | undefined {
  return atOnce(mergeListsSteps(rule, live, config));
}

/**
 * Elements of the configuration keep its order, those that only the live list has keep theirs: each stands after the elements that it stood after,
 * as far as both orders allow.
 */
function* mergeListsSteps(rule: ListRule, live: readonly unknown[], config: readonly unknown[]): Steps<unknown[] | undefined> {
  const left = yield* elementsOfSteps(rule, live);
  const right = yield* elementsOfSteps(rule, config);
  // As a rule nothing has moved.
  if (left.length === right.length && left.every((element, i) => element === right[i]) && new Set(left).size === left.length) {
    const merged: unknown[] = [];
    for (let i = 0; i < left.length; i++) {
      const item = yield* mergeSteps(rule.element, live[i], config[i]);
      if (item !== undefined) merged.push(item);
      if (i % ENTRIES_PER_STEP === 0) yield;
    }
    return merged.length > 0 ? merged : undefined;
  }
  yield;
  const wanted = new Map(right.map((element, i) => [element, config[i]]));
  yield;
  const present = new Map<PathElement, unknown>();
  // Elements that repeat are not merged into.
  left.forEach((element, i) => present.set(element, present.has(element) ? null : live[i]));
  yield;
  const shared = right.filter((element) => present.has(element));
  const done = new Set<PathElement>();
  const result: unknown[] = [];
  let next = 0;
  const take = function* (element: PathElement): Steps<void> {
    done.add(element);
    const merged = yield* mergeSteps(rule.element, present.get(element), wanted.get(element));
    if (merged !== undefined) result.push(merged);
    if (shared[next] === element) next++;
  };
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if ((l + r) % ENTRIES_PER_STEP === 0) yield;
    if (l < left.length) {
      const element = left[l]!;
      if (r < right.length) {
        if (element === right[r]) {
          yield* take(element);
          l++;
          r++;
          continue;
        }
        // Its turn comes later.
        if (wanted.has(element) && next < shared.length && shared[next] !== element) {
          l++;
          continue;
        }
      }
      if (!wanted.has(element)) {
        result.push(live[l]);
        l++;
        continue;
      }
      if (done.has(element)) l++;
    }
    if (r < right.length) {
      yield* take(right[r]!);
      r++;
    }
  }
  return result.length > 0 ? result : undefined;
}
