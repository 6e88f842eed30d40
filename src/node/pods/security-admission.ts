import type { V1Pod } from '../../api/generated/types.js';
import type { Rejection } from './admission.js';

/** Sysctls that concern the pod alone, by the namespace that they belong to: upstream's list for kernels of today. */
const SAFE_SYSCTLS: ReadonlyMap<string, 'ipc' | 'net'> = new Map([
  ['kernel.shm_rmid_forced', 'ipc'],
  ...['ip_local_port_range', 'tcp_syncookies', 'ping_group_range', 'ip_unprivileged_port_start', 'ip_local_reserved_ports', 'tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl',
    'tcp_keepalive_probes', 'tcp_rmem', 'tcp_wmem'].map((name) => [`net.ipv4.${name}`, 'net'] as const),
]);
const HOST_NAMESPACE = { ipc: 'IPC', net: 'Net' } as const;
/** Deprecated, in place of the field. */
const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

/** Refuses a pod with a sysctl that others would feel. */
export function forbiddenSysctl(pod: V1Pod): Rejection | undefined {
  for (const sysctl of pod.spec?.securityContext?.sysctls ?? []) {
    // Either separator may be used; the first one decides which (sysctl.d(5)).
    const name = /[./]/.exec(sysctl.name)?.[0] === '/' ? sysctl.name.replace(/[./]/g, (mark) => (mark === '.' ? '/' : '.')) : sysctl.name;
    const space = SAFE_SYSCTLS.get(name);
    const forbidden = (why: string): Rejection => ({ reason: 'SysctlForbidden', message: `forbidden sysctl: ${JSON.stringify(name)} ${why}` });
    if (space === undefined) return forbidden('not allowlisted');
    if (space === 'ipc' ? pod.spec?.hostIPC : pod.spec?.hostNetwork) return forbidden(`not allowed with host ${HOST_NAMESPACE[space]} enabled`);
  }
  return undefined;
}

/** Refuses a pod that wants to be confined by AppArmor, for a host that has none. */
export function appArmorMissing(pod: V1Pod): Rejection | undefined {
  const { spec, metadata } = pod;
  const contexts = [spec, ...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])].map((holder) => holder?.securityContext?.appArmorProfile?.type);
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.startsWith(APPARMOR_ANNOTATION)).map(([, value]) => value);
  const wanted = contexts.some((type) => type !== undefined && type !== 'Unconfined') || annotations.some((value) => value !== 'unconfined');
  return wanted ? { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' } : undefined;
}
