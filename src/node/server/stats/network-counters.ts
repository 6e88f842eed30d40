import { readFile } from 'node:fs/promises';

/** Counters of one network interface, from the view of its own namespace. */
export interface InterfaceCounters {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxPackets: number;
  readonly rxErrors: number;
  readonly rxDropped: number;
  readonly txBytes: number;
  readonly txPackets: number;
  readonly txErrors: number;
  readonly txDropped: number;
}

/** Ends of pods' interfaces and the host's own loopback are nobody's traffic with the outside; cAdvisor's list. */
const IGNORED = ['lo', 'veth', 'docker', 'nerdctl'];

/** The host's ends of pods' interfaces, of any cluster. */
const POD_ENDS = /^k[0-9a-f]{14}$/;

/** Parses `/proc/net/dev`. Loopback and ends of pods' interfaces are left out. */
export function parseNetDev(text: string): readonly InterfaceCounters[] {
  const result: InterfaceCounters[] = [];
  for (const line of text.split('\n').slice(2)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 0 || POD_ENDS.test(name) || IGNORED.some((prefix) => name.startsWith(prefix))) continue;
    const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0, , , , , txBytes = 0, txPackets = 0, txErrors = 0, txDropped = 0] = line.slice(colon + 1).trim().split(/\s+/).map(Number);
    result.push({ name, rxBytes, rxPackets, rxErrors, rxDropped, txBytes, txPackets, txErrors, txDropped });
  }
  return result;
}

/** The interfaces of the network namespace that a process is in; undefined when it has gone. */
export async function processNetwork(pid: number | 'self'): Promise<readonly InterfaceCounters[] | undefined> {
  const text = await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseNetDev(text);
}
