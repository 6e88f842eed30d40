import type { V1Pod, V1PodSpec } from '../../api/generated/types.js';
import { appArmorMissing, forbiddenSysctl } from './security-admission.js';

function pod(spec: Partial<V1PodSpec>, annotations: Record<string, string> = {}): V1Pod {
  return { metadata: { name: 'a', annotations }, spec: { containers: [{ name: 'app' }], ...spec } };
}

function sysctl(name: string, spec: Partial<V1PodSpec> = {}): string | undefined {
  return forbiddenSysctl(pod({ ...spec, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }, { name, value: '1' }] } }))?.message;
}

test('only safe sysctls are allowed, whatever their separator, and only where the pod has the namespace to itself', () => {
  expect(forbiddenSysctl(pod({}))).toBeUndefined();
  for (const name of ['kernel.shm_rmid_forced', 'net.ipv4.tcp_rmem', 'net/ipv4/tcp_wmem']) expect(sysctl(name)).toBeUndefined();
  for (const name of ['kernel.msgmax', 'net.core.somaxconn', 'vm.swappiness']) expect(sysctl(name)).toBe(`forbidden sysctl: "${name}" not allowlisted`);
  expect(sysctl('kernel.shm_rmid_forced', { hostIPC: true })).toBe('forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled');
  expect(sysctl('net.ipv4.tcp_rmem', { hostIPC: true })).toBeUndefined();
  expect(forbiddenSysctl(pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } }))).toEqual({
    reason: 'SysctlForbidden', message: 'forbidden sysctl: "net.ipv4.tcp_rmem" not allowed with host Net enabled',
  });
});

test('a pod that asks for AppArmor is refused, one that asks for none is not', () => {
  const refused = { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' };
  expect(appArmorMissing(pod({}))).toBeUndefined();
  expect(appArmorMissing(pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }))).toBeUndefined();
  expect(appArmorMissing(pod({ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }))).toEqual(refused);
  expect(appArmorMissing(pod({ initContainers: [{ name: 'i', securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } } }] }))).toEqual(refused);
  expect(appArmorMissing(pod({}, { 'container.apparmor.security.beta.kubernetes.io/app': 'unconfined' }))).toBeUndefined();
  expect(appArmorMissing(pod({}, { 'container.apparmor.security.beta.kubernetes.io/app': 'runtime/default' }))).toEqual(refused);
});
