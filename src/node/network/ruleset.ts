import type { HostPort } from './host-ports.js';

/** What the pods' table is made from. */
export interface RulesetState {
  /** Ranges and addresses of this node's pods. */
  readonly sources: readonly string[];
  readonly hostPorts: readonly PodHostPorts[];
  /** IPv4 address or range to which host ports for all addresses do not apply. */
  readonly exempt?: string;
}

/** Host ports of one pod. */
export interface PodHostPorts {
  readonly address: string;
  readonly ports: readonly HostPort[];
}

/** What does not change while the node runs. */
export interface RulesetSettings {
  readonly table: string;
  readonly interfacePrefix: string;
  /** IPv4 range of the whole cluster's pods. */
  readonly clusterCidr: string;
}

/**
 * The whole table as one transaction that replaces what is there. Forwarding as such needs no rule of ours: where others drop, an accepting
 * chain beside theirs does not help (see `firewall/`).
 *
 * - `guard`: a pod sends from its own address only, and never to loopback addresses.
 * - `host-ports`: the maps decide; a pod that begins or ends changes elements, never rules.
 * - `postrouting`: masquerade for pods that reach themselves by a host port (their answer would not come back to the host), for loopback
 *   addresses that go to a pod, and for what leaves the cluster.
 */
export function wholeTable({ table, interfacePrefix, clusterCidr }: RulesetSettings, state: RulesetState): string {
  const elements = hostPortElements(state.hostPorts);
  const pods = `"${interfacePrefix}*"`;
  return `add table ip ${table}
delete table ip ${table}
table ip ${table} {
  set sources {
    type ipv4_addr
    flags interval
    auto-merge
    ${content(state.sources)}
  }
  map ports {
    type inet_proto . inet_service : ipv4_addr . inet_service
    ${content(elements.ports.map(entry))}
  }
  map address-ports {
    type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service
    ${content(elements.addressPorts.map(entry))}
  }
  set hairpin {
    type ipv4_addr . ipv4_addr
    ${content(elements.hairpin)}
  }
  chain guard {
    type filter hook prerouting priority raw; policy accept;
    iifname ${pods} fib saddr . iif oif missing drop
    iifname ${pods} ip daddr 127.0.0.0/8 drop
  }
  chain host-ports {
    dnat ip to ip daddr . meta l4proto . th dport map @address-ports
    ${state.exempt === undefined ? '' : `ip daddr ${state.exempt} return`}
    dnat ip to meta l4proto . th dport map @ports
  }
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    fib daddr type local jump host-ports
  }
  chain output {
    type nat hook output priority -100; policy accept;
    fib daddr type local jump host-ports
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ct status dnat ip saddr . ip daddr @hairpin masquerade fully-random
    ct status dnat ip saddr 127.0.0.0/8 oifname ${pods} masquerade fully-random
    ip saddr @sources ip daddr != ${clusterCidr} oifname != ${pods} masquerade fully-random
  }
}
`;
}

/** Adds a pod's host ports. Fails as a whole when there is no table. */
export function addHostPorts(table: string, pod: PodHostPorts): string {
  return change(pod, (name, item, value) => `add element ip ${table} ${name} { ${item}${value} }`);
}

/** Removes a pod's host ports, whether they are there or not. Fails as a whole when there is no table. */
export function removeHostPorts(table: string, pod: PodHostPorts): string {
  // Deleting what is not there is an error, adding what is there is none.
  return `${addHostPorts(table, pod)}${change(pod, (name, item) => `delete element ip ${table} ${name} { ${item} }`)}`;
}

type Pair = readonly [key: string, value: string];

function change(pod: PodHostPorts, line: (name: string, item: string, value: string) => string): string {
  const { ports, addressPorts, hairpin } = hostPortElements([pod]);
  const lines = [
    ...ports.map(([key, value]) => line('ports', key, ` : ${value}`)),
    ...addressPorts.map(([key, value]) => line('address-ports', key, ` : ${value}`)),
    ...hairpin.map((key) => line('hairpin', key, '')),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

function hostPortElements(pods: readonly PodHostPorts[]): { readonly ports: Pair[]; readonly addressPorts: Pair[]; readonly hairpin: string[] } {
  const ports: Pair[] = [];
  const addressPorts: Pair[] = [];
  for (const pod of pods) {
    for (const port of pod.ports) {
      const value = `${pod.address} . ${port.containerPort}`;
      if (port.hostIp === undefined) ports.push([`${port.protocol} . ${port.hostPort}`, value]);
      else addressPorts.push([`${port.hostIp} . ${port.protocol} . ${port.hostPort}`, value]);
    }
  }
  return { ports, addressPorts, hairpin: pods.filter((pod) => pod.ports.length > 0).map((pod) => `${pod.address} . ${pod.address}`) };
}

function entry([key, value]: Pair): string {
  return `${key} : ${value}`;
}

function content(elements: readonly string[]): string {
  return elements.length === 0 ? '' : `elements = { ${elements.join(', ')} }`;
}
