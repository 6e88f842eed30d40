import type { V1Pod } from '../../api/generated/types.js';
import { readIfPresent } from '../../base/files.js';
import type { LocalNode } from './local-node.js';

/** What stands in a pod's resolv.conf. */
export interface PodDns {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Limits of Kubernetes' validation and of glibc. */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** The DNS settings of a pod as its `dnsPolicy` and `dnsConfig` say. What exceeds a limit is cut off. */
export async function podDns(pod: V1Pod, local: LocalNode): Promise<PodDns> {
  const { dnsPolicy = 'ClusterFirst', dnsConfig, hostNetwork } = pod.spec ?? {};
  const cluster = local.clusterDns.length > 0 && (dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork));
  const base = dnsPolicy === 'None' ? { servers: [], searches: [], options: [] } : await readResolvConf(local.resolvConf);
  const first = cluster ? clusterFirst(base, pod.metadata?.namespace ?? '', local) : base;
  return limit({
    servers: unique([...first.servers, ...(dnsConfig?.nameservers ?? [])]),
    searches: unique([...first.searches, ...(dnsConfig?.searches ?? [])]),
    options: mergeOptions(first.options, (dnsConfig?.options ?? []).map(({ name = '', value }) => (value === undefined || value === '' ? name : `${name}:${value}`))),
  });
}

function clusterFirst(host: PodDns, namespace: string, { clusterDns, clusterDomain }: LocalNode): PodDns {
  return { servers: clusterDns, searches: [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain, ...host.searches], options: ['ndots:5'] };
}

/** Later options replace earlier ones of the same name. */
function mergeOptions(base: readonly string[], more: readonly string[]): readonly string[] {
  const byName = new Map<string, string>();
  for (const option of [...base, ...more]) byName.set(option.split(':')[0]!, option);
  return [...byName.values()];
}

/** Reads the settings of a resolv.conf; without one there are none. */
export async function readResolvConf(file: string): Promise<PodDns> {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of ((await readIfPresent(file)) ?? '').split('\n')) {
    const [word, ...values] = line.replace(/[#;].*$/, '').trim().split(/\s+/);
    if (word === 'nameserver' && values[0]) servers.push(values[0]);
    // The last one of several counts.
    else if (word === 'search') searches = values.map((domain) => (domain === '.' ? domain : domain.replace(/\.$/, '')));
    else if (word === 'options') options = values;
  }
  return { servers, searches, options };
}

function limit(dns: PodDns): PodDns {
  const searches: string[] = [];
  let characters = 0;
  for (const domain of dns.searches.slice(0, MAX_SEARCHES)) {
    characters += domain.length + 1;
    if (characters - 1 > MAX_SEARCH_CHARACTERS) break;
    searches.push(domain);
  }
  return { servers: dns.servers.slice(0, MAX_SERVERS), searches, options: dns.options };
}

function unique(list: readonly string[]): readonly string[] {
  return [...new Set(list)];
}
