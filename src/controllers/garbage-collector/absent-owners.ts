import type { V1OwnerReference } from '../../api/generated/types.js';

const CAPACITY = 500;

/** Owners that are known not to exist, so that a thousand dependents cost one look-up. UIDs never come back. */
export class AbsentOwners {
  private readonly keys = new Set<string>();

  add(reference: Pick<V1OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>, namespace: string): void {
    const key = keyOf(reference, namespace);
    this.keys.delete(key);
    this.keys.add(key);
    if (this.keys.size <= CAPACITY) return;
    const oldest = this.keys.values().next();
    if (!oldest.done) this.keys.delete(oldest.value);
  }

  has(reference: V1OwnerReference, namespace: string): boolean {
    return this.keys.has(keyOf(reference, namespace));
  }
}

function keyOf({ apiVersion, kind, name, uid }: Pick<V1OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>, namespace: string): string {
  return [uid, apiVersion, kind, namespace, name].join('|');
}
