import type { Container } from './names.js';
import type { RuleElement } from './service-rules.js';

/** Who wants an element, in order of precedence: the smallest comes first. */
interface Claim {
  readonly owner: string;
  readonly value: string;
}

/** A change of one element: without `to` it goes, without `from` it is new. */
export interface ElementChange {
  readonly container: Container;
  readonly key: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * The elements that services want in the shared sets and maps. Two services may want the same one (a pod behind both, the
 * same external address): it stays until the last of them is gone, and where they want different verdicts the first by
 * owner has it. Owners therefore sort by age.
 */
export class ElementClaims {
  private readonly claims = new Map<Container, Map<string, Claim[]>>();

  /** Replaces an owner's elements. The changes are those that the kernel has to be told. */
  replace(before: { readonly owner: string; readonly elements: readonly RuleElement[] }, after: { readonly owner: string; readonly elements: readonly RuleElement[] }): readonly ElementChange[] {
    const touched = new Map<string, RuleElement & { readonly old: string | undefined }>();
    for (const element of [...before.elements, ...after.elements]) {
      const id = `${element.container}|${element.key}`;
      if (!touched.has(id)) touched.set(id, { ...element, old: this.value(element.container, element.key) });
    }
    for (const element of before.elements) this.drop(element, before.owner);
    for (const element of after.elements) this.claim(element, after.owner);
    const changes: ElementChange[] = [];
    for (const { container, key, old } of touched.values()) {
      const to = this.value(container, key);
      if (to !== old) changes.push({ container, key, ...(old === undefined ? {} : { from: old }), ...(to === undefined ? {} : { to }) });
    }
    return changes;
  }

  /** Every element with its value, by container. */
  *entries(): Iterable<[Container, readonly (readonly [string, string])[]]> {
    for (const [container, keys] of this.claims) yield [container, [...keys].map(([key, claims]) => [key, claims[0]!.value] as const)];
  }

  /** Number of elements of a container. */
  count(container: string): number {
    return this.claims.get(container as Container)?.size ?? 0;
  }

  private value(container: Container, key: string): string | undefined {
    return this.claims.get(container)?.get(key)?.[0]?.value;
  }

  private claim({ container, key, value }: RuleElement, owner: string): void {
    let keys = this.claims.get(container);
    if (!keys) this.claims.set(container, (keys = new Map<string, Claim[]>()));
    const claims = keys.get(key);
    if (!claims) keys.set(key, [{ owner, value }]);
    else if (!claims.some((claim) => claim.owner === owner)) {
      const at = claims.findIndex((claim) => claim.owner > owner);
      claims.splice(at < 0 ? claims.length : at, 0, { owner, value });
    }
  }

  private drop({ container, key }: RuleElement, owner: string): void {
    const keys = this.claims.get(container);
    const claims = keys?.get(key);
    if (!claims) return;
    const at = claims.findIndex((claim) => claim.owner === owner);
    if (at >= 0) claims.splice(at, 1);
    if (claims.length === 0) keys!.delete(key);
  }
}
