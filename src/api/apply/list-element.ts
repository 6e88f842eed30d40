import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule } from './apply-type.js';
import { isDictionary, own } from './atom.js';
import { keyElement, valueElement, type PathElement } from './path-element.js';
import { TypedError } from './typed-error.js';

/** The step to an element of a list that is a map or a set. Throws a {@link TypedError} when its keys are missing or it cannot be one. */
export function listElement(rule: ListRule, item: unknown): PathElement {
  if (rule.keys.length === 0) return setElement(item);
  if (item === null || item === undefined) throw problem('associative list with keys may not have a null element');
  if (!isDictionary(item)) throw problem('associative list with keys may not have non-map elements');
  const { keys } = rule;
  if (keys.length === 1) {
    const value = own(item, keys[0]!);
    if (value !== undefined) return keyElement([[keys[0]!, value]]);
  }
  const found: [string, unknown][] = [];
  for (const key of keys) {
    const given = own(item, key);
    const value = given === undefined ? defaultOf(rule.element, key) : given;
    if (value !== undefined) found.push([key, value]);
  }
  if (found.length === 0) {
    throw problem(`associative list with keys has an element that omits all key fields [${rule.declaredKeys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`);
  }
  return keyElement(found);
}

/** The elements of a list by their steps; several of one step are an error. `index` is where each stands. */
export function elementsOf(rule: ListRule, items: readonly unknown[]): PathElement[] {
  return items.map((item, i) => elementAt(rule, item, i));
}

/** {@link elementsOf} with pauses. */
export function* elementsOfSteps(rule: ListRule, items: readonly unknown[]): Steps<PathElement[]> {
  const elements: PathElement[] = [];
  for (let i = 0; i < items.length; i++) {
    elements.push(elementAt(rule, items[i], i));
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  return elements;
}

function elementAt(rule: ListRule, item: unknown, i: number): PathElement {
  try {
    return listElement(rule, item);
  } catch (error) {
    throw error instanceof TypedError ? problem(`element ${i}: ${error.message}`) : error;
  }
}

function defaultOf(type: ApplyType, key: string): unknown {
  return type.map?.fields.get(key)?.default;
}

function setElement(item: unknown): PathElement {
  if (item === null || item === undefined) throw problem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw problem('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw problem("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function problem(message: string): TypedError {
  return new TypedError([{ path: '', message }]);
}
