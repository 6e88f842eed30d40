import type { V1Pod, V1ResourceRequirements } from '../../api/generated/types.js';
import { hostPorts } from '../../api/helpers/pod-containers.js';
import { podLimitQuantities, podRequestQuantities } from '../../api/helpers/pod-resources.js';
import type { PodSandboxConfig } from '../runtime/index.js';
import { podDns } from './dns-config.js';
import { podLogFolder, type LocalNode } from './local-node.js';
import { podCgroup } from './qos.js';

const NO_ANNOTATIONS: Readonly<Record<string, string>> = Object.freeze({});
/** Longest host name that Linux takes. */
const MAX_HOSTNAME = 63;
const MAX_FULL_HOSTNAME = 64;

/** The configuration of a pod's sandbox on a node with real containers. Rejects when the pod asks for what such nodes do not have. */
export async function localSandboxConfig(pod: V1Pod, attempt: number, local: LocalNode): Promise<PodSandboxConfig> {
  // Root in such a pod would be root of the host, which is what it wants to be safe from.
  if (pod.spec?.hostUsers === false) throw new Error("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
  const config = sandboxConfig(pod, attempt);
  const domain = podDomain(pod, local.clusterDomain);
  return {
    ...config,
    hostname: pod.spec?.setHostnameAsFQDN && domain !== '' ? fullHostname(config.hostname, domain) : config.hostname,
    logDirectory: podLogFolder(local, config.metadata),
    dns: await podDns(pod, local),
    cgroupParent: podCgroup(pod),
    resources: podGroupResources(pod),
  };
}

/** Domain of a pod below its namespace; empty without a subdomain. */
export function podDomain(pod: V1Pod, clusterDomain: string): string {
  const { subdomain, hostnameOverride } = pod.spec ?? {};
  return subdomain && hostnameOverride === undefined ? `${subdomain}.${pod.metadata?.namespace}.svc.${clusterDomain}` : '';
}

/** Throws when the kernel does not take such a long name. */
function fullHostname(hostname: string, domain: string): string {
  const name = `${hostname}.${domain}`;
  if (name.length > MAX_FULL_HOSTNAME) throw new Error(`failed to construct FQDN from pod hostname and cluster domain, FQDN ${name} is too long (${MAX_FULL_HOSTNAME} characters is the max, ${name.length} characters requested)`);
  return name;
}

/** What bounds the pod as a whole: sums of requests, and of limits where every container has one. */
export function podGroupResources(pod: V1Pod): V1ResourceRequirements {
  const text = (amounts: ReadonlyMap<string, { toString(): string }>): Record<string, string> => Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const bounded = (name: string): boolean => pod.spec?.resources?.limits?.[name] !== undefined || containers.every((container) => container.resources?.limits?.[name] !== undefined);
  const limits = Object.entries(text(podLimitQuantities(pod))).filter(([name]) => bounded(name));
  return { requests: text(podRequestQuantities(pod)), limits: Object.fromEntries(limits) };
}

/** The configuration of a pod's sandbox. */
export function sandboxConfig(pod: V1Pod, attempt: number): PodSandboxConfig {
  const { metadata, spec } = pod;
  const ports = spec ? hostPorts(spec) : [];
  return {
    metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '', attempt },
    hostname: podHostname(pod),
    logDirectory: '',
    labels: metadata?.labels ?? NO_ANNOTATIONS,
    annotations: metadata?.annotations ?? NO_ANNOTATIONS,
    ...(ports.length > 0
      ? { portMappings: ports.map((port) => ({ protocol: port.protocol, containerPort: containerPortOf(pod, port.hostPort), hostPort: port.hostPort, hostIp: port.hostIP })) }
      : {}),
    hostNetwork: spec?.hostNetwork === true,
    hostPid: spec?.hostPID === true,
    hostIpc: spec?.hostIPC === true,
    shareProcessNamespace: spec?.shareProcessNamespace === true,
    ...(spec?.securityContext ? { securityContext: spec.securityContext } : {}),
    cgroupParent: '',
  };
}

/** `spec.hostname`, or the pod's name, cut to what a kernel takes. */
export function podHostname(pod: V1Pod): string {
  const name = pod.spec?.hostnameOverride ?? pod.spec?.hostname ?? pod.metadata?.name ?? '';
  return name.length <= MAX_HOSTNAME ? name : name.slice(0, MAX_HOSTNAME).replace(/[-.]+$/, '');
}

function containerPortOf(pod: V1Pod, hostPort: number): number {
  for (const container of pod.spec?.containers ?? []) {
    for (const port of container.ports ?? []) if (port.hostPort === hostPort) return port.containerPort;
  }
  return hostPort;
}
