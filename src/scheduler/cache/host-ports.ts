import type { V1Pod } from '../../api/generated/types.js';

/** A port of the node that a pod claims. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY = '0.0.0.0';
const NONE: readonly HostPort[] = [];

/** The host ports of a pod's containers and restartable init containers. */
export function hostPortsOf(pod: V1Pod): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  const sidecars = pod.spec?.initContainers?.filter((one) => one.restartPolicy === 'Always') ?? [];
  for (const container of [...(pod.spec?.containers ?? []), ...sidecars]) {
    for (const { hostPort, hostIP, protocol } of container.ports ?? []) {
      if (hostPort === undefined || hostPort <= 0) continue;
      (ports ??= []).push({ ip: hostIP || ANY, protocol: protocol || 'TCP', port: hostPort });
    }
  }
  return ports ?? NONE;
}

/** Host ports in use on a node. The wildcard address conflicts with every address. */
export class UsedPorts {
  /** Addresses by `protocol/port`. */
  private readonly addresses = new Map<string, Map<string, number>>();

  static of(ports: readonly HostPort[]): UsedPorts {
    const used = new UsedPorts();
    for (const port of ports) used.add(port);
    return used;
  }

  get size(): number {
    return this.addresses.size;
  }

  add({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    let byAddress = this.addresses.get(key);
    if (!byAddress) this.addresses.set(key, (byAddress = new Map()));
    byAddress.set(ip, (byAddress.get(ip) ?? 0) + 1);
  }

  remove({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const byAddress = this.addresses.get(key);
    const count = byAddress?.get(ip);
    if (!byAddress || count === undefined) return;
    if (count > 1) byAddress.set(ip, count - 1);
    else if (byAddress.size > 1) byAddress.delete(ip);
    else this.addresses.delete(key);
  }

  conflicts({ ip, protocol, port }: HostPort): boolean {
    const byAddress = this.addresses.get(`${protocol}/${port}`);
    return byAddress !== undefined && (ip === ANY || byAddress.has(ANY) || byAddress.has(ip));
  }

  clone(): UsedPorts {
    const copy = new UsedPorts();
    for (const [key, byAddress] of this.addresses) copy.addresses.set(key, new Map(byAddress));
    return copy;
  }
}
