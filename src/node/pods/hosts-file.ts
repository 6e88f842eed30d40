import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { V1HostAlias, V1Pod } from '../../api/generated/types.js';
import { readIfPresent, writeAtomically } from '../../base/files.js';
import { podFolder, type LocalNode } from './local-node.js';
import { podDomain, podHostname } from './sandbox-config.js';

/** Where containers expect it. */
export const HOSTS_PATH = '/etc/hosts';

/** Writes the hosts file of a pod where it changed, and returns its path on the host. */
export async function ensureHostsFile(pod: V1Pod, local: LocalNode, podIps: readonly string[]): Promise<string> {
  const path = join(podFolder(local, pod.metadata?.uid ?? ''), 'etc-hosts');
  const host = pod.spec?.hostNetwork ? await readFile(HOSTS_PATH, 'utf8').catch(() => '') : undefined;
  const text = hostsFile(pod, podIps, local.clusterDomain, host);
  // Containers of any user read it.
  if ((await readIfPresent(path)) !== text) await writeAtomically(path, text, 0o644);
  return path;
}

/** The text of a pod's hosts file; `host` is the node's own, for pods in the node's network. */
export function hostsFile(pod: V1Pod, podIps: readonly string[], clusterDomain: string, host?: string): string {
  const aliases = aliasLines(pod.spec?.hostAliases);
  if (host !== undefined) return `# Kubernetes-managed hosts file (host network).\n${host}${aliases}`;
  const hostname = podHostname(pod);
  const domain = podDomain(pod, clusterDomain);
  const names = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
  return [
    '# Kubernetes-managed hosts file.', '127.0.0.1\tlocalhost', '::1\tlocalhost ip6-localhost ip6-loopback', 'fe00::0\tip6-localnet', 'fe00::0\tip6-mcastprefix', 'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters', ...podIps.map((ip) => `${ip}\t${names}`), '',
  ].join('\n') + aliases;
}

function aliasLines(aliases: readonly V1HostAlias[] | undefined): string {
  if (!aliases?.length) return '';
  return `\n# Entries added by HostAliases.\n${aliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join('\t')}\n`).join('')}`;
}
