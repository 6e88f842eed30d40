import { formatIp, parseCidr } from '../../base/net/ip.js';

/** Hands out equal parts of a range of addresses and knows which are taken. */
export class CidrSet {
  private readonly taken = new Set<number>();
  private readonly base: bigint;
  private readonly family: 4 | 6;
  private readonly step: bigint;
  private readonly count: number;
  private next = 0;

  /** `range` as `10.244.0.0/16`; each part has a prefix of `maskSize` bits. */
  constructor(
    range: string,
    private readonly maskSize: number,
  ) {
    const block = parseCidr(range);
    if (!block) throw new TypeError(`not a range of addresses: ${range}`);
    this.base = block.first;
    this.family = block.family;
    const bits = this.family === 4 ? 32 : 128;
    this.step = 1n << BigInt(bits - maskSize);
    this.count = 2 ** Math.min(maskSize - block.prefixLength, 30);
  }

  /** A part that nobody has; undefined when none is left. */
  allocate(): string | undefined {
    for (let tries = 0; tries < this.count; tries++) {
      const index = this.next;
      this.next = (this.next + 1) % this.count;
      if (!this.taken.has(index)) {
        this.taken.add(index);
        return this.text(index);
      }
    }
    return undefined;
  }

  /** Marks a part as taken (by a node that had it before). Parts outside the range are no business of ours. */
  occupy(cidr: string): void {
    const index = this.indexOf(cidr);
    if (index !== undefined) this.taken.add(index);
  }

  release(cidr: string): void {
    const index = this.indexOf(cidr);
    if (index !== undefined) this.taken.delete(index);
  }

  private text(index: number): string {
    return `${formatIp({ family: this.family, value: this.base + BigInt(index) * this.step })}/${this.maskSize}`;
  }

  private indexOf(cidr: string): number | undefined {
    const block = parseCidr(cidr);
    if (!block || block.family !== this.family) return undefined;
    const offset = block.first - this.base;
    const index = Number(offset / this.step);
    return offset >= 0n && index < this.count ? index : undefined;
  }
}
