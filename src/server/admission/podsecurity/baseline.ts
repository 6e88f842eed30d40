import type { V1LifecycleHandler, V1PodSpec, V1Probe, V1SELinuxOptions } from '../../../api/generated/types.js';
import { containersOf, isInUserNamespace, namedContainers, plural, quoted, setters, sorted, type PodCheck, type Violation } from './check.js';

const appArmor: PodCheck = (spec, metadata) => {
  const isBad = (type: string | undefined): type is string => type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
  const podType = spec.securityContext?.appArmorProfile?.type;
  const containers = containersOf(spec).filter((container) => isBad(container.securityContext?.appArmorProfile?.type));
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith('container.apparmor.security.beta.kubernetes.io/') && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  if (!isBad(podType) && containers.length === 0 && annotations.length === 0) return undefined;
  const types = sorted([...(isBad(podType) ? [podType] : []), ...containers.map((container) => container.securityContext!.appArmorProfile!.type)]);
  const values = [...types, ...annotations];
  const who = [setters(isBad(podType), containers), ...(annotations.length > 0 ? [plural('annotation', 'annotations', annotations.length)] : [])].filter((text) => text !== '');
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT',
]);

const capabilities: PodCheck = (spec) => {
  const bad = (names: readonly string[] | undefined): string[] => (names ?? []).filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const containers = containersOf(spec).filter((container) => bad(container.securityContext?.capabilities?.add).length > 0);
  if (containers.length === 0) return undefined;
  const names = sorted(containers.flatMap((container) => bad(container.securityContext?.capabilities?.add)));
  return { reason: 'non-default capabilities', detail: `${namedContainers(containers)} must not include ${quoted(names)} in securityContext.capabilities.add` };
};

const hostNamespaces: PodCheck = (spec) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]).map((field) => `${field}=true`);
  return used.length === 0 ? undefined : { reason: 'host namespaces', detail: used.join(', ') };
};

const hostPaths: PodCheck = (spec) => {
  const volumes = (spec.volumes ?? []).filter((volume) => volume.hostPath).map((volume) => volume.name);
  return volumes.length === 0 ? undefined : { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', volumes.length)} ${quoted(volumes)}` };
};

const hostPorts: PodCheck = (spec) => {
  const containers = containersOf(spec).filter((container) => container.ports?.some((port) => port.hostPort));
  if (containers.length === 0) return undefined;
  const ports = sorted(containers.flatMap((container) => (container.ports ?? []).flatMap((port) => (port.hostPort ? [String(port.hostPort)] : []))));
  const detail = `${namedContainers(containers)} ${plural('uses', 'use', containers.length)} ${plural('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
};

const probeHosts: PodCheck = (spec, _metadata, minor) => {
  if (minor < 34) return undefined;
  const hosts = (handler: V1Probe | V1LifecycleHandler | undefined): string[] => [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => Boolean(host));
  const found = containersOf(spec).map((container) => ({
    name: container.name,
    hosts: [container.livenessProbe, container.readinessProbe, container.startupProbe, container.lifecycle?.postStart, container.lifecycle?.preStop].flatMap(hosts),
  })).filter((entry) => entry.hosts.length > 0);
  if (found.length === 0) return undefined;
  const names = sorted(found.map((entry) => entry.name));
  const all = sorted(found.flatMap((entry) => entry.hosts));
  const detail = `${plural('container', 'containers', names.length)} ${quoted(names)} ${plural('uses', 'use', names.length)} ${plural('probe or lifecycle host', 'probe or lifecycle hosts', all.length)} ${quoted(all)}`;
  return { reason: 'probe or lifecycle host', detail };
};

const privileged: PodCheck = (spec) => {
  const containers = containersOf(spec).filter((container) => container.securityContext?.privileged);
  return containers.length === 0 ? undefined : { reason: 'privileged', detail: `${namedContainers(containers)} must not set securityContext.privileged=true` };
};

/** Also part of the restricted level, there without the exception for user namespaces. */
export function procMount(spec: V1PodSpec): Violation | undefined {
  const isBad = (value: string | undefined): boolean => value !== undefined && value !== 'Default';
  const containers = containersOf(spec).filter((container) => isBad(container.securityContext?.procMount));
  if (containers.length === 0) return undefined;
  const types = sorted(containers.map((container) => container.securityContext!.procMount!));
  return { reason: 'procMount', detail: `${namedContainers(containers)} must not set securityContext.procMount to ${quoted(types)}` };
}

const seLinux: PodCheck = (spec, _metadata, minor) => {
  const allowed = ['', 'container_t', 'container_init_t', 'container_kvm_t', ...(minor >= 31 ? ['container_engine_t'] : [])];
  const isBad = (options: V1SELinuxOptions | undefined): options is V1SELinuxOptions =>
    options !== undefined && (!allowed.includes(options.type ?? '') || Boolean(options.user) || Boolean(options.role));
  const podOptions = spec.securityContext?.seLinuxOptions;
  const containers = containersOf(spec).filter((container) => isBad(container.securityContext?.seLinuxOptions));
  const all = [...(isBad(podOptions) ? [podOptions] : []), ...containers.map((container) => container.securityContext!.seLinuxOptions!)];
  if (all.length === 0) return undefined;
  const types = sorted(all.map((options) => options.type ?? '').filter((type) => !allowed.includes(type)));
  const faults = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(all.some((options) => options.user) ? ['user may not be set'] : []),
    ...(all.some((options) => options.role) ? ['role may not be set'] : []),
  ];
  return { reason: 'seLinuxOptions', detail: `${setters(isBad(podOptions), containers)} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}` };
};

const isGoodSeccomp = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

/** Explicitly bad profiles; shared with the restricted level. */
export function badSeccomp(spec: V1PodSpec): Violation | undefined {
  const podType = spec.securityContext?.seccompProfile?.type;
  const pod = podType !== undefined && !isGoodSeccomp(podType);
  const containers = containersOf(spec).filter((container) => container.securityContext?.seccompProfile && !isGoodSeccomp(container.securityContext.seccompProfile.type));
  if (!pod && containers.length === 0) return undefined;
  const types = sorted([...(pod ? [podType] : []), ...containers.map((container) => container.securityContext!.seccompProfile!.type)]);
  return { reason: 'seccompProfile', detail: `${setters(pod, containers)} must not set securityContext.seccompProfile.type to ${quoted(types)}` };
}

const seccomp: PodCheck = (spec, metadata, minor) => {
  if (minor >= 19) return badSeccomp(spec);
  const keys = ['seccomp.security.alpha.kubernetes.io/pod', ...containersOf(spec).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`)];
  const bad = sorted(keys.flatMap((key) => {
    const value = metadata.annotations?.[key];
    return value === undefined || value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/') ? [] : [`${key}=${JSON.stringify(value)}`];
  }));
  return bad.length === 0 ? undefined : { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', 'annotations', bad.length)} ${bad.join(', ')}` };
};

/** Sysctls that are safe for pods, by the version that let them in. */
const SYSCTLS: readonly { readonly since: number; readonly names: readonly string[] }[] = [
  { since: 0, names: ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start'] },
  { since: 27, names: ['net.ipv4.ip_local_reserved_ports'] },
  { since: 29, names: ['net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes'] },
  { since: 32, names: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'] },
];

const sysctls: PodCheck = (spec, _metadata, minor) => {
  const allowed = new Set(SYSCTLS.filter(({ since }) => minor >= since).flatMap(({ names }) => names));
  const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

const windowsHostProcess: PodCheck = (spec) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const containers = containersOf(spec).filter((container) => container.securityContext?.windowsOptions?.hostProcess);
  if (!pod && containers.length === 0) return undefined;
  return { reason: 'hostProcess', detail: `${setters(pod, containers)} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** The checks of the baseline level by upstream's names, in the order in which they are reported. */
export const BASELINE_CHECKS: ReadonlyMap<string, PodCheck> = new Map<string, PodCheck>([
  ['appArmorProfile', appArmor],
  ['capabilities_baseline', capabilities],
  ['hostNamespaces', hostNamespaces],
  ['hostPathVolumes', hostPaths],
  ['hostPorts', hostPorts],
  ['hostProbesAndHostLifecycle', probeHosts],
  ['privileged', privileged],
  ['procMount', (spec, _metadata, minor) => (isInUserNamespace(spec, minor) ? undefined : procMount(spec))],
  ['seLinuxOptions', seLinux],
  ['seccompProfile_baseline', seccomp],
  ['sysctls', sysctls],
  ['windowsHostProcess', windowsHostProcess],
]);
