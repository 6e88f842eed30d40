import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { isHeavy } from '../helpers/heavy.js';
import { isObject, setKey, withoutNulls, type JsonObject } from './json.js';

/**
 * Applies a merge patch (RFC 7386) to an object. Neither argument is changed; what the patch does not touch is shared with the result.
 * As upstream: nulls inside lists of the patch stay.
 */
export function applyMergePatch(original: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...original };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const current = Object.hasOwn(result, key) ? result[key] : undefined;
    setKey(result, key, current === undefined || current === null ? withoutNulls(value) : merge(current, value));
  }
  return result;
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? applyMergePatch(current, patch) : patch;
}

/** {@link applyMergePatch} with pauses, for objects with very many keys. */
export function* mergePatchSteps(original: JsonObject, patch: JsonObject): Steps<JsonObject> {
  if (!isHeavy(original) && !isHeavy(patch)) return applyMergePatch(original, patch);
  yield;
  const result: JsonObject = {};
  let done = 0;
  for (const key of Object.keys(original)) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const current = original[key];
    if (!Object.hasOwn(patch, key)) setKey(result, key, current);
    else if (patch[key] !== null) setKey(result, key, yield* mergedSteps(current, patch[key]));
  }
  for (const key of Object.keys(patch)) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (patch[key] !== null && !Object.hasOwn(original, key)) setKey(result, key, withoutNulls(patch[key]));
  }
  return result;
}

function* mergedSteps(current: unknown, patch: unknown): Steps<unknown> {
  if (current === undefined || current === null) return withoutNulls(patch);
  return isObject(current) && isObject(patch) ? yield* mergePatchSteps(current, patch) : merge(current, patch);
}

/** The outcome of a merge patch with keys sorted in every object that the patch has touched, which is how upstream writes it in messages. */
export function sortMerged(outcome: JsonObject, patch: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(outcome).sort()) {
    const [value, change] = [outcome[key], Object.hasOwn(patch, key) ? patch[key] : undefined];
    setKey(sorted, key, isObject(value) && isObject(change) ? sortMerged(value, change) : value);
  }
  return sorted;
}
