import { KubeError } from '../../base/errors.js';
import { formatIp, parseIp, type IpBlock } from '../../base/net/ip.js';
import { NETWORK_FAILED } from './options.js';

/**
 * Addresses of one range for pods. The first two (network, gateway by custom) and, with IPv4, the last (broadcast) are never given. Goes
 * round, so that an address that came back rests as long as others are free.
 */
export class AddressPool {
  private readonly used = new Set<string>();
  private range: { readonly text: string; readonly block: IpBlock } | undefined;
  private last: string | undefined;

  /** The range, or another one; addresses of the old range stay in use until they are released. Throws when it has no address to give. */
  setRange(range: { readonly text: string; readonly block: IpBlock }): void {
    if (bounds(range.block).size <= 0n) throw new KubeError(NETWORK_FAILED, `pod CIDR ${range.text} has no address for a pod: the first two and the last are kept back, so it has to be /30 or wider`);
    this.range = range;
  }

  /** Goes on after this address; what is no address is ignored. */
  resumeAfter(address: string): void {
    if (parseIp(address)) this.last = address;
  }

  /** Takes the next free address. Throws `KUBE_POD_NETWORK` when all are in use or there is no range yet. */
  take(): string {
    if (!this.range) throw new KubeError(NETWORK_FAILED, 'no address for the pod: the node has no pod CIDR yet');
    const { block, text } = this.range;
    const { first, size } = bounds(block);
    const last = this.last === undefined ? undefined : parseIp(this.last)!.value;
    const start = last === undefined || last < first || last >= first + size ? 0n : last - first + 1n;
    for (let step = 0n; step < size; step++) {
      const address = formatIp({ family: block.family, value: first + ((start + step) % size) });
      if (this.used.has(address)) continue;
      this.used.add(address);
      this.last = address;
      return address;
    }
    throw new KubeError(NETWORK_FAILED, `no free address for the pod: all ${size} of pod CIDR ${text} are in use`);
  }

  /** Marks an address that was given by an earlier run. */
  reserve(address: string): void {
    this.used.add(address);
  }

  release(address: string): void {
    this.used.delete(address);
  }
}

function bounds(block: IpBlock): { readonly first: bigint; readonly size: bigint } {
  const first = block.first + 2n;
  const last = block.family === 4 ? block.last - 1n : block.last;
  return { first, size: last - first + 1n };
}
