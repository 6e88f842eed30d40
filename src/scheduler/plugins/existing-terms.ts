import type { AffinityTerm } from '../cache/affinity-term.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { Snapshot } from '../cache/snapshot.js';

/** Which of a pod's lists a term comes from. */
export type TermKind = 'requiredAffinity' | 'requiredAntiAffinity' | 'preferredAffinity' | 'preferredAntiAffinity';

const KINDS: readonly TermKind[] = ['requiredAffinity', 'requiredAntiAffinity', 'preferredAffinity', 'preferredAntiAffinity'];

/** A term that pods on nodes have, with the number of such pods on every node. */
export interface ExistingTerm {
  readonly kind: TermKind;
  readonly term: AffinityTerm;
  /** 1 for required terms. */
  readonly weight: number;
  /** By position in the snapshot. */
  counts: Int32Array;
  total: number;
}

/**
 * The terms of inter-pod affinity of all pods that are on nodes. Pods of one template have the same terms, so there are few; their numbers
 * are kept from one snapshot to the next for nodes that did not change. A memo only: the result depends on the snapshot alone.
 */
export class ExistingTerms {
  private readonly terms = new Map<string, ExistingTerm>();
  private readonly nodes: NodeInfo[] = [];
  private last: Snapshot | undefined;

  /** The terms that occur in the snapshot. They hold until the next snapshot is looked at. */
  of(snapshot: Snapshot): Iterable<ExistingTerm> {
    if (this.last === snapshot) return this.terms.values();
    if (this.nodes.length === 0 && !snapshot.anyAffinity) return [];
    this.last = snapshot;
    const { nodes } = snapshot;
    for (let i = nodes.length; i < this.nodes.length; i++) this.count(this.nodes[i]!, i, -1, this.nodes.length);
    if (this.nodes.length > nodes.length) this.nodes.length = nodes.length;
    for (let i = 0; i < nodes.length; i++) {
      const before = this.nodes[i];
      const node = nodes[i]!;
      if (before === node) continue;
      if (before) this.count(before, i, -1, nodes.length);
      this.count(node, i, 1, nodes.length);
      this.nodes[i] = node;
    }
    for (const [key, term] of this.terms) {
      if (term.total === 0) this.terms.delete(key);
      else if (term.counts.length !== nodes.length) term.counts = resized(term.counts, nodes.length);
    }
    return this.terms.values();
  }

  private count(node: NodeInfo, position: number, sign: 1 | -1, length: number): void {
    for (const pod of node.podsWithAffinity) {
      for (const kind of KINDS) {
        for (const term of pod[kind]) {
          const entry = this.entry(kind, term, length);
          entry.counts[position]! += sign;
          entry.total += sign;
        }
      }
    }
  }

  private entry(kind: TermKind, term: AffinityTerm, length: number): ExistingTerm {
    const weight = 'weight' in term && typeof term.weight === 'number' ? term.weight : 1;
    const key = `${kind} ${weight} ${term.key}`;
    let entry = this.terms.get(key);
    if (!entry) this.terms.set(key, (entry = { kind, term, weight, counts: new Int32Array(length), total: 0 }));
    else if (entry.counts.length < length) entry.counts = resized(entry.counts, length);
    return entry;
  }
}

function resized(counts: Int32Array, length: number): Int32Array {
  const result = new Int32Array(length);
  result.set(counts.subarray(0, length));
  return result;
}
