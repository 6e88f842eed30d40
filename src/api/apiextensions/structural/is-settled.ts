import type { SchemaNode } from './schema-node.js';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Whether a value is in the form of a schema already: nothing to prune, no null without meaning, no default missing. One look at everything, where bringing
 * it into form takes three and a copy. `prunes` false: only the defaults matter, and
 * nulls as `nulls` says.
 */
export function isSettled(value: unknown, node: SchemaNode | undefined, prunes: boolean, nulls = prunes, keeps = node?.preserves === true): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return areSettled(value, node, prunes, nulls, keeps);
  const object = value as Readonly<Record<string, unknown>>;
  if (node !== undefined) {
    for (const name of node.defaulted) {
      const present = Object.hasOwn(object, name) ? object[name] : undefined;
      if (present === undefined || (present === null && !node.property(name)!.nullable)) return false;
    }
  }
  for (const key in object) {
    const child = object[key];
    const schema = node?.field(key);
    const ofObject = node?.embedded === true && META_FIELDS.has(key);
    if (schema === undefined) {
      if (!prunes || ofObject) continue;
      if (node?.open && node.schema.additionalProperties === true) {
        // Upstream knows nothing of what stands here.
        if (!isSettled(child, undefined, true, nulls)) return false;
      } else if (!keeps) return false;
    } else if (child === null) {
      if (nulls && !schema.nullable && schema.default === undefined) return false;
    } else if (typeof child === 'object' && !isSettled(child, schema, prunes && !ofObject, nulls)) return false;
  }
  return true;
}

function areSettled(list: readonly unknown[], node: SchemaNode | undefined, prunes: boolean, nulls: boolean, keeps: boolean): boolean {
  const items = node?.items;
  for (const item of list) {
    if (item === null && items && !items.nullable && items.default !== undefined) return false;
    if (typeof item !== 'object') continue;
    if (!isSettled(item, items, prunes && !(keeps && items === undefined), nulls, keeps || items?.preserves === true)) return false;
  }
  return true;
}
