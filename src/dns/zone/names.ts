import { formatIp, parseIp } from '../../base/net/ip.js';

/** Parts of a name below the cluster domain (Kubernetes' DNS specification 1.1). */
export interface ClusterName {
  readonly kind: 'svc' | 'pod';
  readonly namespace?: string;
  /** Service, or the pod's address with dashes. */
  readonly name?: string;
  readonly endpoint?: string;
  /** Without underscores. */
  readonly port?: string;
  readonly protocol?: string;
}

/** `relative` is the name without the cluster domain. `apex` exists and has no records; undefined is no name of ours. */
export function parseClusterName(relative: string): ClusterName | 'apex' | undefined {
  if (relative === '') return 'apex';
  const labels = relative.split('.');
  const kind = labels.pop();
  if (kind !== 'svc' && kind !== 'pod') return undefined;
  const [namespace, name, ...rest] = labels.reverse();
  const base = { kind, ...(namespace !== undefined ? { namespace } : {}), ...(name !== undefined ? { name } : {}) } as const;
  if (rest.length === 0) return base;
  if (rest.length === 1) return { ...base, endpoint: rest[0]! };
  if (rest.length > 2) return undefined;
  return { ...base, protocol: rest[0]!.replace(/^_/, ''), port: rest[1]!.replace(/^_/, '') };
}

/** The address in a pod's name: `10-0-0-1`, `fd00--1`. */
export function podAddress(label: string): string | undefined {
  const four = label.split('-').length === 4 && !label.includes('--');
  const address = parseIp(label.replaceAll('-', four ? '.' : ':'));
  return address && formatIp(address);
}

/** The address in a name below `in-addr.arpa` or `ip6.arpa`; undefined when the name is not a whole one. */
export function reverseAddress(name: string): string | undefined {
  if (name.endsWith('.in-addr.arpa')) {
    const address = parseIp(name.slice(0, -'.in-addr.arpa'.length).split('.').reverse().join('.'));
    return address?.family === 4 ? formatIp(address) : undefined;
  }
  if (!name.endsWith('.ip6.arpa')) return undefined;
  const digits = name.slice(0, -'.ip6.arpa'.length).split('.').reverse();
  if (digits.length !== 32 || digits.some((digit) => !/^[0-9a-f]$/.test(digit))) return undefined;
  const address = parseIp(digits.join('').replace(/(.{4})(?=.)/g, '$1:'));
  return address && formatIp(address);
}

/** Whether `name` is `zone` or below it. */
export function isBelow(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
