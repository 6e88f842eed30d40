import { createHash } from 'node:crypto';
import type { Random } from '../../base/random.js';

const DIGITS = 6;

/**
 * Name of the host's end of a sandbox's interface: the cluster's prefix and six hexadecimal digits of the sandbox's id, later ones where those
 * are taken. Stays within the 15 characters that Linux allows.
 */
export function chooseInterfaceName(prefix: string, sandboxId: string, taken: ReadonlySet<string>): string {
  const digest = createHash('sha256').update(sandboxId).digest('hex');
  const source = (/^[0-9a-f]+$/.test(sandboxId) ? sandboxId : '') + digest;
  for (let start = 0; ; start++) {
    const digits = start + DIGITS <= source.length ? source.slice(start, start + DIGITS) : createHash('sha256').update(`${source}${start}`).digest('hex').slice(0, DIGITS);
    if (!taken.has(prefix + digits)) return prefix + digits;
  }
}

/** A random hardware address: unicast, locally administered (IEEE 802). */
export function randomMac(random: Random): string {
  const bytes = random.bytes(6);
  bytes[0] = (bytes[0]! & 0xfc) | 0x02;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
