import { KubeError } from '../../../base/errors.js';
import { toDraft } from '../../draft.js';
import type { SchemaNode } from './schema-node.js';

type Dictionary = Record<string, unknown>;

/** So many bytes of defaults may be filled into one object: as many as a request may have. */
const MAX_BYTES = 3 << 20;

/**
 * Fills in, in place, the defaults of a structural schema. Returns whether there was anything to fill in. A few bytes in each item of a list may ask for
 * more than anybody can hold: then `KUBE_STORE_TOO_LARGE` is thrown, or, when `lenient`, the rest stays without.
 */
export function fillDefaults(value: unknown, node: SchemaNode | undefined, lenient = false): boolean {
  const filling = new Filling(lenient);
  filling.fill(value, node);
  return filling.changed;
}

class Filling {
  changed = false;
  private bytes = 0;

  constructor(private readonly lenient: boolean) {}

  fill(value: unknown, node: SchemaNode | undefined): void {
    if (typeof value !== 'object' || value === null || node === undefined) return;
    if (Array.isArray(value)) return this.items(value, node.items);
    const object = value as Dictionary;
    for (const name of node.defaulted) {
      const present = Object.hasOwn(object, name) ? object[name] : undefined;
      const property = node.property(name)!;
      if (present !== undefined && (present !== null || property.nullable)) continue;
      if (this.take(property)) put(object, name, toDraft(property.default));
    }
    for (const key in object) {
      const own = node.property(key);
      const schema = own ?? node.additional;
      if (schema === undefined) continue;
      if (!own && object[key] === null && !schema.nullable && schema.default !== undefined && this.take(schema)) put(object, key, toDraft(schema.default));
      this.fill(object[key], schema);
    }
  }

  private items(list: unknown[], node: SchemaNode | undefined): void {
    if (node === undefined) return;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === null && !node.nullable && node.default !== undefined && this.take(node)) list[i] = toDraft(node.default);
      this.fill(list[i], node);
    }
  }

  /** Whether there is room for one more copy of a default. */
  private take(node: SchemaNode): boolean {
    const bytes = this.bytes + node.defaultBytes;
    if (bytes > MAX_BYTES) {
      if (this.lenient) return false;
      throw new KubeError('KUBE_STORE_TOO_LARGE', `the object is too large: defaults add more than ${MAX_BYTES} bytes to it`);
    }
    this.bytes = bytes;
    this.changed = true;
    return true;
  }
}

function put(object: Dictionary, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
