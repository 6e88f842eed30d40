import { deepEqual } from '../../helpers/deep-equal.js';
import type { SchemaNode } from './schema-node.js';
import { canonical } from './list-rules.js';
import { isObject } from '../../patch/json.js';

/** A value of an update beside the one it replaces: what is wrong in places that did not change is let pass. */
export class Correlation {
  private equal: boolean | undefined;
  private byKey: Map<string, unknown> | undefined;

  constructor(
    private readonly value: unknown,
    private readonly old: unknown,
    private readonly node: SchemaNode | undefined,
  ) {}

  /** Whether nothing has changed here. */
  get unchanged(): boolean {
    return (this.equal ??= deepEqual(this.value, this.old));
  }

  /** The same for a field; undefined when there was none. */
  field(name: string): Correlation | undefined {
    const { value, old, node } = this;
    if (!isObject(old) || !isObject(value) || !Object.hasOwn(old, name)) return undefined;
    if (node?.schema['x-kubernetes-map-type'] === 'atomic') return undefined;
    return new Correlation(value[name], old[name], node?.field(name));
  }

  /** The same for an item of a list: lists of type `map` know theirs by their keys, others have none that correspond. */
  item(index: number): Correlation | undefined {
    const { value, old, node } = this;
    if (!Array.isArray(value) || !Array.isArray(old) || node?.schema['x-kubernetes-list-type'] !== 'map') return undefined;
    const keys = node.schema['x-kubernetes-list-map-keys'] ?? [];
    this.byKey ??= new Map(old.map((item) => [keyOf(item, keys), item]));
    const key = keyOf(value[index], keys);
    return this.byKey.has(key) ? new Correlation(value[index], this.byKey.get(key), node.items) : undefined;
  }
}

function keyOf(item: unknown, keys: readonly string[]): string {
  return canonical(isObject(item) ? keys.map((key) => item[key] ?? null) : null);
}
