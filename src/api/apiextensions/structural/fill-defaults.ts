import { toDraft } from '../../draft.js';
import type { SchemaNode } from './schema-node.js';

type Dictionary = Record<string, unknown>;

/** Fills in, in place, the defaults of a structural schema. Returns whether there was anything to fill in. */
export function fillDefaults(value: unknown, node: SchemaNode | undefined): boolean {
  if (typeof value !== 'object' || value === null || node === undefined) return false;
  let changed = false;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return false;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && !items.nullable && items.default !== undefined) {
        value[i] = toDraft(items.default);
        changed = true;
      }
      if (fillDefaults(value[i], items)) changed = true;
    }
    return changed;
  }
  const object = value as Dictionary;
  for (const name of node.defaulted) {
    const present = Object.hasOwn(object, name) ? object[name] : undefined;
    const property = node.property(name)!;
    if (present !== undefined && (present !== null || property.nullable)) continue;
    put(object, name, toDraft(property.default));
    changed = true;
  }
  for (const key in object) {
    const own = node.property(key);
    const schema = own ?? node.additional;
    if (schema === undefined) continue;
    if (!own && object[key] === null && !schema.nullable && schema.default !== undefined) {
      put(object, key, toDraft(schema.default));
      changed = true;
    }
    if (fillDefaults(object[key], schema)) changed = true;
  }
  return changed;
}

function put(object: Dictionary, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
