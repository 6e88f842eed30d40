import type { Container } from './names.js';
import type { RuleElement } from './service-rules.js';

/** Who wants an element, in order of precedence: the smallest comes first. */
interface Claim {
  readonly owner: string;
  readonly value: string;
}

const NO_CLAIMS: readonly Claim[] = [];

/** The elements of one owner. */
export interface OwnedElements {
  readonly owner: string;
  readonly elements: readonly RuleElement[];
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
  private readonly claims = new Map<Container, Map<string, readonly Claim[]>>();

  /** Replaces an owner's elements. `note` is told of each change that the kernel has to be told, in order; an element may change twice. */
  replace(before: OwnedElements, after: OwnedElements, note: (change: ElementChange) => void): void {
    const kept = before.elements.length > 0 && before.owner === after.owner ? new Set(after.elements.map(identity)) : undefined;
    for (const element of before.elements) if (!kept?.has(identity(element))) this.change(element, note, (claims) => claims.filter(({ owner }) => owner !== before.owner));
    for (const element of after.elements) this.change(element, note, (claims) => withClaim(claims, { owner: after.owner, value: element.value }));
  }

  /** Every element with its value, by container. */
  *entries(): Iterable<[Container, readonly (readonly [string, string])[]]> {
    for (const [container, keys] of this.claims) yield [container, [...keys].map(([key, claims]) => [key, claims[0]!.value] as const)];
  }

  /** Number of elements of a container. */
  count(container: string): number {
    return this.claims.get(container as Container)?.size ?? 0;
  }

  private change({ container, key }: RuleElement, note: (change: ElementChange) => void, how: (claims: readonly Claim[]) => readonly Claim[]): void {
    let keys = this.claims.get(container);
    if (!keys) this.claims.set(container, (keys = new Map<string, readonly Claim[]>()));
    const old = keys.get(key) ?? NO_CLAIMS;
    const claims = how(old);
    if (claims === old) return;
    if (claims.length === 0) keys.delete(key);
    else keys.set(key, claims);
    const from = old[0]?.value;
    const to = claims[0]?.value;
    if (from !== to) note({ container, key, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
  }
}

function withClaim(claims: readonly Claim[], claim: Claim): readonly Claim[] {
  if (claims.length === 0) return [claim];
  const own = claims.find(({ owner }) => owner === claim.owner);
  if (own?.value === claim.value) return claims;
  return [...claims.filter((other) => other !== own), claim].sort((a, b) => (a.owner < b.owner ? -1 : 1));
}

function identity({ container, key, value }: RuleElement): string {
  return `${container}|${key}|${value}`;
}
