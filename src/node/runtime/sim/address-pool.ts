import { formatIp, parseCidr, parseIp, type IpBlock } from '../../../base/net/ip.js';

/** Hands out addresses of a block, lowest free one after the last given first. The network and broadcast addresses and the first one (the gateway) are left out. */
export class AddressPool {
  private readonly used = new Set<bigint>();
  private readonly block: IpBlock;
  private next: bigint;

  /** Throws a `TypeError` when `cidr` is none. */
  constructor(readonly cidr: string) {
    const block = parseCidr(cidr);
    if (!block) throw new TypeError(`${cidr} is not an address range`);
    this.block = block;
    this.next = this.first;
  }

  private get first(): bigint {
    return this.block.first + 2n;
  }

  private get last(): bigint {
    return this.block.last - 1n;
  }

  /** Undefined when all are taken. */
  take(): string | undefined {
    if (BigInt(this.used.size) > this.last - this.first) return undefined;
    while (this.used.has(this.next)) this.advance();
    const value = this.next;
    this.used.add(value);
    this.advance();
    return formatIp({ family: this.block.family, value });
  }

  /** Marks an address as taken; addresses outside of the block are ignored. */
  reserve(address: string): void {
    const ip = parseIp(address);
    if (ip && ip.family === this.block.family && ip.value >= this.first && ip.value <= this.last) this.used.add(ip.value);
  }

  release(address: string): void {
    const ip = parseIp(address);
    if (ip) this.used.delete(ip.value);
  }

  private advance(): void {
    this.next = this.next >= this.last ? this.first : this.next + 1n;
  }
}
