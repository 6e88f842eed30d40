import { isObject, setKey, type JsonObject } from './json.js';

/**
 * What is left of a strategic merge patch once upstream has applied it: the directives that were obeyed, and the lists that were merged under an
 * order, are gone. Messages show the patch like that.
 */
export function spentPatch(current: JsonObject, patch: JsonObject): JsonObject {
  const ordered = new Set(Object.keys(patch).filter((key) => key.startsWith('$setElementOrder/')).flatMap((key) => [key, key.slice('$setElementOrder/'.length)]));
  const spent: JsonObject = {};
  for (const key of Object.keys(patch)) {
    if (ordered.has(key) || key === '$retainKeys' || (key === '$patch' && patch[key] === 'replace')) continue;
    const value = patch[key];
    const known = Object.hasOwn(current, key) ? current[key] : undefined;
    setKey(spent, key, isObject(known) && isObject(value) ? spentPatch(known, value) : value);
  }
  return spent;
}
