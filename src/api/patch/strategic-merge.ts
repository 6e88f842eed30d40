import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { isHeavy } from '../helpers/heavy.js';
import { badRequestError } from '../status-error.js';
import type { FieldSchema, TypeSchema } from '../codec/schema.js';
import { goText, goVerbText, isObject, setKey, withoutNulls, type JsonObject } from './json.js';
import { inapplicableError, wrongPatchError } from './patch-error.js';
import { mergeLists, orderLists, type ListRules } from './strategic-list.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

/**
 * Applies a strategic merge patch. `type` says which lists are merged, and by which key. Understood are `$patch: replace | delete`,
 * `$retainKeys`, `$deleteFromPrimitiveList/<list>` and `$setElementOrder/<list>`. Neither argument is changed; what the patch does not touch is
 * shared with the result. Throws a `StatusError`: 400 for a malformed directive, 422 for a patch that cannot be applied.
 */
export function applyStrategicMergePatch(original: JsonObject, patch: JsonObject, type: TypeSchema): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return applyDirective(patch);
  const result: JsonObject = { ...original };
  const names = Object.keys(patch);
  if (!names.some((name) => name.startsWith('$'))) {
    for (const name of names) {
      const value = patch[name];
      if (typeof value !== 'object' && value !== undefined) setKey(result, name, value);
      else mergeValue(result, name, value, false, type);
    }
    return result;
  }
  const rest: JsonObject = { ...patch };
  if (Object.hasOwn(rest, RETAIN_KEYS)) retainKeys(result, rest);
  for (const key of Object.keys(rest)) if (key.startsWith(ELEMENT_ORDER)) mergeOrdered(result, rest, key, type);
  for (const key of Object.keys(rest)) {
    const isDeleteList = key.startsWith(DELETE_FROM_LIST);
    const name = isDeleteList ? listName(key, DELETE_FROM_LIST, 'invalid patch format of primitive list') : key;
    mergeValue(result, name, rest[key], isDeleteList, type);
  }
  return result;
}

/** {@link applyStrategicMergePatch} with pauses, for objects with very many keys. */
export function* strategicMergeSteps(original: JsonObject, patch: JsonObject, type: TypeSchema): Steps<JsonObject> {
  if (!isHeavy(original) || !isHeavy(patch)) return applyStrategicMergePatch(original, patch, type);
  yield;
  const names = Object.keys(patch);
  if (names.some((name) => name.startsWith('$'))) return applyStrategicMergePatch(original, patch, type);
  const result: JsonObject = {};
  let done = 0;
  for (const name of Object.keys(original)) {
    setKey(result, name, original[name]);
    if (++done % ENTRIES_PER_STEP === 0) yield;
  }
  for (const name of names) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const value = patch[name];
    const current = Object.hasOwn(result, name) ? result[name] : undefined;
    if (typeof value !== 'object' && value !== undefined) setKey(result, name, value);
    else if (isObject(current) && isObject(value) && strategyOf(fieldOf(name, type)) !== 'replace') setKey(result, name, yield* strategicMergeSteps(current, value, fieldOf(name, type).type));
    else mergeValue(result, name, value, false, type);
  }
  return result;
}

/** `$patch` in an object: the patch stands for the whole object, or the object becomes empty. */
function applyDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw wrongPatchError(`unknown patch type: ${goVerbText(directive)} in map: ${goText(patch)}`);
}

/** Drops the keys of `result` that the directive in `patch` does not list, and the directive. */
function retainKeys(result: JsonObject, patch: JsonObject): void {
  const list = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  const malformed = (): Error => badRequestError('invalid patch format of retainKeys');
  if (!Array.isArray(list)) throw malformed();
  const retained = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER)) continue;
    if (!retained.has(key)) throw malformed();
  }
  for (const key of Object.keys(result)) if (!retained.has(key)) delete result[key];
}

/** Merges the list that an order directive speaks of, and takes both out of the patch. */
function mergeOrdered(result: JsonObject, patch: JsonObject, directive: string, type: TypeSchema): void {
  const order = patch[directive];
  delete patch[directive];
  if (!Array.isArray(order)) throw badType('[]interface {}', order);
  const name = listName(directive, ELEMENT_ORDER, 'invalid patch format of setElementOrder list');
  const current = Object.hasOwn(result, name) ? result[name] : undefined;
  const wanted = Object.hasOwn(patch, name) ? patch[name] : undefined;
  for (const list of [current, wanted]) if (list !== undefined && !Array.isArray(list)) throw badType('[]interface {}', list);
  const rules = listRules(name, type);
  const merged = orderLists(current as unknown[] | undefined, wanted as unknown[] | undefined, order as unknown[], rules);
  if (merged !== undefined) setKey(result, name, merged);
  delete patch[name];
}

function mergeValue(result: JsonObject, name: string, patch: unknown, isDeleteList: boolean, type: TypeSchema): void {
  if (patch === null) {
    delete result[name];
    return;
  }
  const current = Object.hasOwn(result, name) ? result[name] : undefined;
  if (isObject(current) && isObject(patch)) {
    const field = fieldOf(name, type);
    setKey(result, name, strategyOf(field) === 'replace' ? patch : applyStrategicMergePatch(current, patch, field.type));
  } else if (Array.isArray(current) && Array.isArray(patch)) {
    const rules = listRules(name, type);
    setKey(result, name, rules.merged || isDeleteList ? mergeLists(current, patch, rules, isDeleteList) : patch);
  } else if (!isDeleteList) {
    const value = withoutDirectives(withoutNulls(patch));
    if (value === undefined) delete result[name];
    else setKey(result, name, value);
  }
}

function listRules(name: string, type: TypeSchema): ListRules {
  const field = fieldOf(name, type);
  const items = field.type.kind === 'list' ? field.type.items : undefined;
  if (items === undefined) throw wrongPatchError(`expected slice or array type, but got: ${field.type.kind}`);
  if (items.kind === 'list') throw inapplicableError('lists of lists are not supported');
  return {
    merged: strategyOf(field) === 'merge',
    mergeKey: field.patchMergeKey ?? '',
    mergeItems: (original, patch) => applyStrategicMergePatch(original, patch, items),
    withoutDirectives: (list) => withoutDirectives(list) as unknown[],
  };
}

function strategyOf(field: FieldSchema): string {
  return field.patchStrategy.find((strategy) => strategy !== 'retainKeys') ?? '';
}

function fieldOf(name: string, type: TypeSchema): FieldSchema {
  if (type.kind === 'raw') throw wrongPatchError(`unable to find api field in struct RawExtension for the json field ${JSON.stringify(name)}`);
  if (type.kind !== 'struct') throw wrongPatchError(`merging an object in json but data type is not struct, instead is: ${type.kind}`);
  const field = type.fields.get(name);
  if (field === undefined) throw wrongPatchError(`unable to find api field in struct ${type.shortName} for the json field ${JSON.stringify(name)}`);
  return field;
}

function listName(key: string, prefix: string, message: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badRequestError(message);
  return key.slice(prefix.length + 1);
}

function badType(expected: string, actual: unknown): Error {
  const name = isObject(actual) ? 'map[string]interface {}' : Array.isArray(actual) ? '[]interface {}' : actual === null ? '%!s(<nil>)' : typeof actual;
  return wrongPatchError(`expected a ${expected}, but received a ${name}`);
}

/** Drops objects that carry a `$patch`, at any depth; undefined when the value is one itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = withoutDirectives(value[key]);
    if (item !== undefined) setKey(copy, key, item);
  }
  return copy;
}
