import { isIP, isIPv4 } from 'node:net';
import type { ControllersSettings, NodeSettings, ServerSettings } from '../run/index.js';
import { accessSettings, authorizationModes } from './access-settings.js';
import { etcdSettings } from './etcd-settings.js';
import type { FlagValues } from './flags.js';
import { duration } from './output.js';
import { UsageError } from './parse.js';

const DEFAULT_SERVICE_RANGE = '10.96.0.0/16';

/** Flags to settings of the API server; every value is checked here. `environment` may hold secrets for etcd. Throws {@link UsageError}. */
export function serverSettings(flags: FlagValues, environment: NodeJS.ProcessEnv): ServerSettings {
  const etcd = etcdSettings(flags, environment);
  return {
    bindAddress: address('bind-address', flags['bind-address']!),
    securePort: flags['secure-port']!,
    ...(flags['advertise-address'] ? { advertiseAddress: address('advertise-address', flags['advertise-address']) } : {}),
    store: flags.store === 'memory' ? 'memory' : 'leveldb',
    ...(etcd ? { etcd } : {}),
    serviceClusterIpRange: serviceRange(flags) ?? DEFAULT_SERVICE_RANGE,
    serviceNodePortRange: portRange(flags['service-node-port-range']!),
    authorizationModes: authorizationModes(flags),
    access: accessSettings(flags),
    anonymousAuth: flags['anonymous-auth']!,
    enableAdmissionPlugins: flags['enable-admission-plugins'] ?? [],
    disableAdmissionPlugins: flags['disable-admission-plugins'] ?? [],
    ...(flags['admission-control-config-file'] ? { admissionControlConfigFile: flags['admission-control-config-file'] } : {}),
    eventTtlSeconds: Math.max(1, Math.round(duration('event-ttl', flags['event-ttl']) / 1000)),
    requestTimeoutMilliseconds: duration('request-timeout', flags['request-timeout']),
    serviceAccountIssuer: issuer(flags['service-account-issuer']!),
  };
}

/** Flags to settings of the controllers. Throws {@link UsageError}. */
export function controllersSettings(flags: FlagValues): ControllersSettings {
  // Each node takes a part of the range; the usual one has 256 parts.
  const usual = (flags['simulated-nodes'] ?? 0) > 250 ? '10.128.0.0/9' : '10.244.0.0/16';
  const clusterCidr = cidr('cluster-cidr', flags['cluster-cidr'] ?? usual, 8);
  const mask = flags['node-cidr-mask-size']!;
  if (mask < Number(clusterCidr.split('/')[1])) throw new UsageError(`--node-cidr-mask-size: ${mask} is shorter than the prefix of --cluster-cidr ${clusterCidr}`);
  return {
    controllers: flags.controllers ?? ['*'],
    clusterCidr,
    nodeCidrMaskSize: mask,
    serviceClusterIpRange: serviceRange(flags) ?? DEFAULT_SERVICE_RANGE,
    nodeMonitorGracePeriodSeconds: duration('node-monitor-grace-period', flags['node-monitor-grace-period']) / 1000,
    terminatedPodGcThreshold: flags['terminated-pod-gc-threshold']!,
  };
}

/** Ranges of addresses that the user named; with native containers the others are chosen so that clusters of one host do not overlap. Throws {@link UsageError}. */
export function wantedRanges(flags: FlagValues): { readonly clusterCidr?: string; readonly serviceClusterIpRange?: string } {
  const service = serviceRange(flags);
  const pods = flags['cluster-cidr'];
  return { ...(pods ? { clusterCidr: cidr('cluster-cidr', pods, 8) } : {}), ...(service ? { serviceClusterIpRange: service } : {}) };
}

function serviceRange(flags: FlagValues): string | undefined {
  const range = flags['service-cluster-ip-range'];
  return range === undefined ? undefined : cidr('service-cluster-ip-range', range, 12);
}

/** Flags to settings of the node agent. Throws {@link UsageError}. */
export function nodeSettings(flags: FlagValues): NodeSettings {
  const runtime = flags['container-runtime'];
  const simulated = flags['simulated-nodes'];
  if (runtime === 'native' && simulated !== undefined) throw new UsageError('--simulated-nodes does not go with --container-runtime native: leave one of them out');
  const domain = flags['cluster-domain']!;
  if (domain.length > 200 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(domain)) throw new UsageError(`--cluster-domain: ${JSON.stringify(domain)} is not a domain name such as cluster.local`);
  const name = flags['node-name'];
  if (name !== undefined && !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) throw new UsageError(`--node-name: ${JSON.stringify(name)} is not a name of lower-case letters, digits, "-" and "."`);
  return {
    // Who asks for a number of simulated nodes does not want native containers.
    containerRuntime: runtime === 'native' ? 'native' : runtime === 'sim' || simulated !== undefined ? 'sim' : 'auto',
    simulatedNodes: simulated ?? 1,
    ...(flags['node-ip'] ? { nodeIp: address('node-ip', flags['node-ip']) } : {}),
    clusterDomain: domain,
    maxPods: flags['max-pods']!,
    cni: flags.cni === 'never' ? 'never' : 'auto',
    ...(flags['registry-config'] ? { registryConfig: flags['registry-config'] } : {}),
    keepPods: flags['keep-pods']!,
    ...(name === undefined ? {} : { nodeName: name }),
    kubeletPort: flags['kubelet-port']!,
    bindAddress: '127.0.0.1',
  };
}

function address(flag: string, text: string): string {
  if (isIP(text) === 0) throw new UsageError(`--${flag}: ${JSON.stringify(text)} is not an IP address`);
  return text;
}

function cidr(flag: string, text: string, shortest: number): string {
  const match = /^([\d.]+)\/(\d{1,2})$/.exec(text);
  const bits = Number(match?.[2]);
  if (!match || !isIPv4(match[1]!) || bits > 30) throw new UsageError(`--${flag}: ${JSON.stringify(text)} is not an IPv4 range such as 10.96.0.0/16`);
  if (bits < shortest) throw new UsageError(`--${flag}: ${text} is too large; its prefix must be at least ${shortest} bits long`);
  const number = match[1]!.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  if (number % 2 ** (32 - bits) !== 0) throw new UsageError(`--${flag}: ${text} has bits set behind its prefix`);
  return text;
}

function portRange(text: string): { from: number; to: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const range = { from: Number(match?.[1]), to: Number(match?.[2]) };
  if (!match || range.from < 1 || range.to > 65535 || range.from > range.to) throw new UsageError(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`);
  return range;
}

function issuer(text: string): string {
  if (text.includes(':') && !URL.canParse(text)) throw new UsageError(`--service-account-issuer: ${JSON.stringify(text)} is not a valid URL`);
  return text;
}
