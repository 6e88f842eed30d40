import type { ElementChange } from '../rules/element-claims.js';

const ELEMENTS_PER_LINE = 500;

/** Lines of an `nft -f` script about one table; nftables applies all of them or none. */
export class TransactionText {
  private readonly lines: string[] = [];

  constructor(private readonly table: string) {}

  get empty(): boolean {
    return this.lines.length === 0;
  }

  /** Puts an empty table in the place of the one that is there, if any; the kernel changes over in one moment. */
  startAnew(): void {
    this.lines.push(`add table ip ${this.table}`, `delete table ip ${this.table}`, `add table ip ${this.table}`);
  }

  /** `declaration` as in a table: `set x { type ipv4_addr; }`. */
  declare(declaration: string): void {
    const space = declaration.indexOf(' ');
    this.lines.push(`add ${declaration.slice(0, space)} ip ${this.table} ${declaration.slice(space + 1)}`);
  }

  affinitySet(name: string, seconds: number): void {
    this.lines.push(`add set ip ${this.table} ${name} { type ipv4_addr; flags dynamic,timeout; timeout ${seconds}s; }`);
  }

  chain(verb: 'add' | 'flush' | 'delete', name: string, hook?: string): void {
    this.lines.push(`${verb} chain ip ${this.table} ${name}${hook === undefined ? '' : ` { ${hook}; policy accept; }`}`);
  }

  deleteSet(name: string): void {
    this.lines.push(`delete set ip ${this.table} ${name}`);
  }

  rule(chain: string, rule: string): void {
    this.lines.push(`add rule ip ${this.table} ${chain} ${rule}`);
  }

  elements(verb: 'add' | 'delete', container: string, elements: readonly string[]): void {
    for (let at = 0; at < elements.length; at += ELEMENTS_PER_LINE) {
      this.lines.push(`${verb} element ip ${this.table} ${container} { ${elements.slice(at, at + ELEMENTS_PER_LINE).join(', ')} }`);
    }
  }

  /** Elements that go, or come with another value. */
  changedElements(verb: 'add' | 'delete', changes: Iterable<ElementChange>): void {
    const byContainer = new Map<string, string[]>();
    for (const { container, key, from, to } of changes) {
      if (verb === 'delete' ? from === undefined : to === undefined) continue;
      let keys = byContainer.get(container);
      if (!keys) byContainer.set(container, (keys = []));
      keys.push(verb === 'delete' ? key : elementText(key, to!));
    }
    for (const [container, keys] of byContainer) this.elements(verb, container, keys);
  }

  toString(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

/** An element as nftables writes it; sets have no values. */
export function elementText(key: string, value: string): string {
  return value === '' ? key : `${key} : ${value}`;
}
