import type { EventLoopTurns } from '../../reconcile/index.js';
import type { ServiceProxyOptions } from '../options.js';
import { baseTable, nodePortIpCount } from '../rules/base-table.js';
import { ElementClaims, type ElementChange } from '../rules/element-claims.js';
import type { ServiceRules } from '../rules/service-rules.js';
import { elementText, TransactionText } from './transaction-text.js';

/** Clients remembered by sets with session affinity: elements such as `10.0.0.7 expires 2h`, by set. */
export type AffinityElements = ReadonlyMap<string, readonly string[]>;

/** What a listing of the table has to show. */
export interface ExpectedTable {
  /** Number of rules by chain. */
  readonly chains: ReadonlyMap<string, number>;
  /** Number of elements by set or map; undefined: the kernel adds and drops them by itself. */
  readonly containers: ReadonlyMap<string, number | undefined>;
}

interface Programmed {
  readonly owner: string;
  readonly rules: ServiceRules;
}

/** Chains that are empty and unreachable are kept so long: before Linux 6.2 the kernel notices late that nobody refers to them. */
export const STALE_CHAIN_MILLISECONDS = 1000;

const NO_RULES: Programmed = { owner: '', rules: { elements: [], chains: new Map(), affinitySets: new Map(), withoutLocalEndpoints: { internal: 0, external: 0 } } };

/**
 * The wanted content of the table, and what of it the kernel has not been told. Pure book-keeping: the caller runs the
 * transactions, and after one that failed only {@link fullTransaction} leads on.
 */
export class TableState {
  private readonly services = new Map<string, Programmed>();
  private readonly claims = new ElementClaims();
  private readonly stale = new Map<string, number>();
  /** What the kernel has of services that changed. */
  private readonly pending = new Map<string, Programmed>();
  private readonly pendingElements = new Map<string, ElementChange>();

  /** The whole was put into a transaction once; before that there is no need to know what changed. */
  private written = false;

  constructor(private readonly options: ServiceProxyOptions) {}

  /** Sets the rules of a service; undefined: it is gone. `owner` decides between services that want the same element: the smallest has it. */
  set(key: string, owner: string, rules: ServiceRules | undefined): void {
    const before = this.services.get(key) ?? NO_RULES;
    const after = rules ? { owner, rules } : NO_RULES;
    if (rules) this.services.set(key, after);
    else this.services.delete(key);
    this.claims.replace({ owner: before.owner, elements: before.rules.elements }, { owner: after.owner, elements: after.rules.elements }, (change) => this.noteElement(change));
    if (this.written && !this.pending.has(key)) this.pending.set(key, before);
  }

  has(key: string): boolean {
    return this.services.has(key);
  }

  /** Some service remembers its clients. */
  get usesAffinity(): boolean {
    for (const { rules } of this.services.values()) if (rules.affinitySets.size > 0) return true;
    return false;
  }

  withoutLocalEndpoints(): { readonly internal: number; readonly external: number } {
    const total = { internal: 0, external: 0 };
    for (const { rules } of this.services.values()) {
      total.internal += rules.withoutLocalEndpoints.internal;
      total.external += rules.withoutLocalEndpoints.external;
    }
    return total;
  }

  /** What changed since the last transaction; undefined: nothing. `now` is monotonic milliseconds. */
  changes(now: number): string | undefined {
    const text = new TransactionText(this.options.table);
    const flushed: string[] = [];
    const rules: [string, readonly string[]][] = [];
    const newSets: [string, number][] = [];
    const goneSets: string[] = [];
    for (const [key, { rules: before }] of this.pending) {
      const after = (this.services.get(key) ?? NO_RULES).rules;
      for (const [chain, wanted] of after.chains) {
        const present = before.chains.get(chain);
        if (present && sameRules(present, wanted)) continue;
        if (!present) text.chain('add', chain);
        // A chain that waits for its removal is there still, and empty.
        else flushed.push(chain);
        this.stale.delete(chain);
        rules.push([chain, wanted]);
      }
      for (const chain of before.chains.keys()) {
        if (after.chains.has(chain)) continue;
        flushed.push(chain);
        this.stale.set(chain, now);
      }
      for (const [set, seconds] of after.affinitySets) if (!before.affinitySets.has(set)) newSets.push([set, seconds]);
      for (const set of before.affinitySets.keys()) if (!after.affinitySets.has(set)) goneSets.push(set);
    }
    for (const chain of flushed) text.chain('flush', chain);
    text.changedElements('delete', this.pendingElements.values());
    for (const set of goneSets) text.deleteSet(set);
    for (const [set, seconds] of newSets) text.affinitySet(set, seconds);
    text.changedElements('add', this.pendingElements.values());
    for (const [chain, lines] of rules) for (const line of lines) text.rule(chain, line);
    this.forgetChanges();
    return text.empty ? undefined : text.toString();
  }

  /** The whole table, in the place of whatever stands there. `clients` of sets that are no longer wanted are left out. */
  async fullTransaction(turns: EventLoopTurns, clients: AffinityElements): Promise<string> {
    this.written = true;
    this.forgetChanges();
    this.stale.clear();
    const text = new TransactionText(this.options.table);
    const base = baseTable(this.options);
    text.startAnew();
    for (const declaration of base.containers) text.declare(declaration);
    for (const { name, hook } of base.chains) text.chain('add', name, hook);
    for (const { rules } of this.services.values()) {
      for (const chain of rules.chains.keys()) text.chain('add', chain);
      for (const [set, seconds] of rules.affinitySets) {
        text.affinitySet(set, seconds);
        text.elements('add', set, clients.get(set) ?? []);
      }
      await turns.maybeYield();
    }
    for (const { name, rules } of base.chains) for (const rule of rules) text.rule(name, rule);
    for (const { rules } of this.services.values()) {
      for (const [chain, lines] of rules.chains) for (const line of lines) text.rule(chain, line);
      await turns.maybeYield();
    }
    for (const [container, elements] of this.claims.entries()) {
      text.elements('add', container, elements.map(([key, value]) => elementText(key, value)));
      await turns.maybeYield();
    }
    return text.toString();
  }

  /** Chains that have been empty for long enough to be removed. */
  removableChains(now: number): readonly string[] {
    return [...this.stale].flatMap(([chain, since]) => (now - since >= STALE_CHAIN_MILLISECONDS ? [chain] : []));
  }

  get hasStaleChains(): boolean {
    return this.stale.size > 0;
  }

  /** The transaction that removes them. */
  removal(chains: readonly string[]): string {
    const text = new TransactionText(this.options.table);
    for (const chain of chains) text.chain('delete', chain);
    return text.toString();
  }

  /** They were removed, or could not be and come again later. */
  removed(chains: readonly string[], retryAt?: number): void {
    for (const chain of chains) {
      if (retryAt === undefined) this.stale.delete(chain);
      else this.stale.set(chain, retryAt);
    }
  }

  expected(): ExpectedTable {
    const base = baseTable(this.options);
    const chains = new Map<string, number>(base.chains.map(({ name, rules }) => [name, rules.length]));
    const containers = new Map<string, number | undefined>(base.containers.map((declaration) => {
      const name = declaration.split(' ')[1]!;
      return [name, name === 'nodeport-ips' ? nodePortIpCount(this.options) : this.claims.count(name)];
    }));
    for (const { rules } of this.services.values()) {
      for (const [chain, lines] of rules.chains) chains.set(chain, lines.length);
      for (const set of rules.affinitySets.keys()) containers.set(set, undefined);
    }
    for (const chain of this.stale.keys()) chains.set(chain, 0);
    return { chains, containers };
  }

  private forgetChanges(): void {
    this.pending.clear();
    this.pendingElements.clear();
  }

  private noteElement(change: ElementChange): void {
    if (!this.written) return;
    const id = `${change.container}|${change.key}`;
    const earlier = this.pendingElements.get(id);
    const from = earlier ? earlier.from : change.from;
    if (from === change.to) this.pendingElements.delete(id);
    else this.pendingElements.set(id, { container: change.container, key: change.key, ...(from === undefined ? {} : { from }), ...(change.to === undefined ? {} : { to: change.to }) });
  }
}

function sameRules(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
