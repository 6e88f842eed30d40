import type { KubeObject } from '../../api/meta/object.js';
import type { Informer } from '../../client/index.js';

/** An informer's objects, in the state of our own last writes where those are newer: a volume given away is not given away twice. */
export class WriteThrough<T extends KubeObject> {
  private readonly written = new Map<string, T>();
  /** Ends the watching. */
  readonly close: () => void;

  constructor(private readonly informer: Informer<T>) {
    this.close = informer.addHandler({
      update: (object) => {
        if (!isNewer(this.written.get(keyOf(object)), object)) this.written.delete(keyOf(object));
      },
      delete: (object) => this.written.delete(keyOf(object)),
    });
  }

  get(namespace: string, name: string): T | undefined {
    const stored = this.informer.get(namespace, name);
    return stored && this.newest(stored);
  }

  byIndex(index: string, value: string): readonly T[] {
    const objects = this.informer.byIndex(index, value);
    return this.written.size === 0 ? objects : objects.map((object) => this.newest(object));
  }

  list(): readonly T[] {
    return this.informer.list().map((object) => this.newest(object));
  }

  /** Takes in what the API server answered to a write. */
  store(object: T): void {
    const stored = this.informer.get(object.metadata?.namespace ?? '', object.metadata?.name ?? '');
    if (stored && isNewer(object, stored)) this.written.set(keyOf(object), object);
  }

  private newest(stored: T): T {
    const own = this.written.get(keyOf(stored));
    return own && own.metadata?.uid === stored.metadata?.uid && isNewer(own, stored) ? own : stored;
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

function isNewer(a: KubeObject | undefined, b: KubeObject): boolean {
  return a !== undefined && BigInt(a.metadata?.resourceVersion ?? '0') > BigInt(b.metadata?.resourceVersion ?? '0');
}
