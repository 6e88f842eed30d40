import { KubeError } from '../../base/errors.js';
import { parseCidr, type IpBlock } from '../../base/net/ip.js';
import { NETWORK_FAILED } from './options.js';

/** The first IPv4 block in a range or a list of ranges of two families. Throws `KUBE_POD_NETWORK` naming `what` when there is none. */
export function ipv4Block(text: string, what: string): { readonly text: string; readonly block: IpBlock } {
  for (const part of text.split(',').map((item) => item.trim())) {
    const block = parseCidr(part);
    if (!block) throw new KubeError(NETWORK_FAILED, `${what} ${JSON.stringify(text)}: ${JSON.stringify(part)} is not a CIDR such as 10.244.0.0/24`);
    if (block.family === 4) return { text: part, block };
  }
  throw new KubeError(NETWORK_FAILED, `${what} ${JSON.stringify(text)} has no IPv4 range; pods get IPv4 addresses`);
}

/** Whether two blocks have an address in common. */
export function overlap(a: IpBlock, b: IpBlock): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}
