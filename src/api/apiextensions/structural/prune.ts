import type { SchemaNode } from './schema-node.js';

type Dictionary = Record<string, unknown>;

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Collects what was dropped. */
class Places {
  readonly found: string[] = [];
  readonly path: (string | number)[] = [];

  constructor(private readonly wanted: boolean) {}

  dropped(key: string): void {
    if (!this.wanted) return;
    let text = '';
    for (const step of this.path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step}`;
    this.found.push(text === '' ? key : `${text}.${key}`);
  }
}

/** What {@link prune} did. */
export interface Pruned {
  /** Fields that the schema does not know, sorted, as `spec.list[0].field`; empty unless asked for. */
  readonly unknown: readonly string[];
  readonly changed: boolean;
}

/** Drops, in place, the fields that a structural schema does not specify. */
export function prune(object: object, node: SchemaNode | undefined, collect: boolean): Pruned {
  const places = new Places(collect);
  const changed = pruneValue(object, node, places);
  return { unknown: places.found.sort(), changed };
}

/** `keeps`: fields that are not specified stay. */
function pruneValue(value: unknown, node: SchemaNode | undefined, places: Places, keeps = node?.preserves === true): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let changed = false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] !== 'object') continue;
      if (keeps && node?.items === undefined) continue;
      places.path.push(i);
      // What a list preserves its items do, too.
      if (pruneValue(value[i], node?.items, places, keeps || node?.items?.preserves === true)) changed = true;
      places.path.pop();
    }
    return changed;
  }
  const object = value as Dictionary;
  for (const key of Object.keys(object)) {
    if (node?.embedded && META_FIELDS.has(key)) continue;
    const known = node?.property(key);
    const additional = known ? undefined : node?.additional;
    if (known ?? additional) {
      if (typeof object[key] !== 'object') continue;
      places.path.push(key);
      if (pruneValue(object[key], known ?? additional, places)) changed = true;
      places.path.pop();
    } else if (node?.open && node.schema.additionalProperties === true) {
      // Upstream knows nothing of what stands here.
      places.path.push(key);
      if (pruneValue(object[key], undefined, places)) changed = true;
      places.path.pop();
    } else if (!keeps) {
      if (!META_FIELDS.has(key) || places.path.length > 0) places.dropped(key);
      delete object[key];
      changed = true;
    }
  }
  return changed;
}

/** Drops, in place, nulls where neither null is allowed nor a default will take their place. Returns whether there were any. */
export function pruneNulls(value: unknown, node: SchemaNode | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let changed = false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && pruneNulls(item, node?.items)) changed = true;
    return changed;
  }
  const object = value as Dictionary;
  for (const key in object) {
    const child = object[key];
    if (typeof child !== 'object') continue;
    const schema = node?.field(key);
    if (child === null) {
      if (schema === undefined || schema.nullable || schema.default !== undefined) continue;
      delete object[key];
      changed = true;
    } else if (pruneNulls(child, schema)) changed = true;
  }
  return changed;
}
