import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import type { Client } from '../../client/index.js';

interface Entry {
  readonly at: number;
  readonly object: Promise<KubeObject | undefined>;
}

/** How many objects are remembered. */
const CAPACITY = 2000;

/**
 * Config maps and secrets that pods need, fetched one by one: a node may not list them. What was fetched lately is used
 * again, and those who ask for the same object at the same time share one request.
 */
export class References {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** Undefined when it does not exist. `maxAgeMilliseconds` says how old an answer may be; that it does not exist is never remembered. */
  async get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string, maxAgeMilliseconds: number): Promise<T | undefined> {
    const key = `${ref.resource}/${namespace}/${name}`;
    const known = this.entries.get(key);
    const now = this.clock.monotonic();
    if (known && now - known.at <= maxAgeMilliseconds) return known.object as Promise<T | undefined>;
    const object = this.fetch(ref, namespace, name);
    const entry: Entry = { at: now, object };
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size > CAPACITY) this.entries.delete(this.entries.keys().next().value!);
    const forget = (): void => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    object.then((found) => found ?? forget(), forget);
    return object;
  }

  private async fetch<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<T | undefined> {
    try {
      return await this.client.resource(ref).get(namespace, name);
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}
