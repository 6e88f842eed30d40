import type { ImageConfig } from '../../../images/image-store.js';
import { testContainer, testSandbox } from '../../testsuite/contract.js';
import type { ContainerConfig, PodSandboxConfig } from '../../types.js';
import { capabilitiesOf, containerCapabilities } from './capabilities.js';
import { containerSpec, type SpecInput } from './container-spec.js';
import { containerMounts } from './mounts.js';
import type { OciSpec } from './oci.js';
import { defaultSeccomp } from './seccomp.js';

const IMAGE: ImageConfig = { entrypoint: ['/entry'], cmd: ['from', 'image'], env: ['A=image', 'B=image'], workingDir: '/srv', user: '', stopSignal: '', volumes: [] };
const OWN = { hostname: '/h', resolvConf: '/r', shm: '/s', volumes: [] };

function describeContainer(config: Partial<ContainerConfig> = {}, sandbox: Partial<PodSandboxConfig> = {}, more: Partial<SpecInput> = {}): Promise<OciSpec> {
  return containerSpec({
    config: testContainer('i', [], { envs: [], ...config }), sandbox: testSandbox('u', sandbox), image: IMAGE, user: { uid: 0, gid: 0, additionalGids: [0] }, rootfs: '/root', own: OWN, cgroupsPath: '/kube/c', cgroupVersion: 1,
    namespaces: { net: '/n', ipc: '/i', uts: '/u', pid: 'own' }, facts: { hostname: 'machine', capabilities: ['CAP_CHOWN', 'CAP_SYS_ADMIN'], oomScoreAdj: 100, apparmor: false, maskedPaths: ['/proc/kcore'], pageSizes: [] },
    seccompFolder: '/nowhere', ...more,
  });
}

test('command, arguments, environment, working folder', async () => {
  const args = async (command: string[], list: string[]): Promise<readonly string[]> => (await describeContainer({ command, args: list })).process.args;
  expect(await args([], [])).toEqual(['/entry', 'from', 'image']);
  expect(await args([], ['own'])).toEqual(['/entry', 'own']);
  expect(await args(['cmd'], [])).toEqual(['cmd']);
  expect(await args(['cmd'], ['own'])).toEqual(['cmd', 'own']);
  await expect(describeContainer({}, {}, { image: { ...IMAGE, entrypoint: [], cmd: [] } })).rejects.toThrow('no command specified');
  const { process } = await describeContainer({ envs: [{ name: 'B', value: 'pod=1' }], tty: true });
  expect(process.env).toEqual(['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'TERM=xterm', 'HOSTNAME=pod-u', 'A=image', 'B=pod=1']);
  expect([process.cwd, process.terminal]).toEqual(['/srv', true]);
});

test('namespaces, and the score for when memory runs out', async () => {
  expect((await describeContainer()).linux.namespaces.map(({ type, path }) => `${type} ${path ?? ''}`)).toEqual(['mount ', 'pid ', 'network /n', 'ipc /i', 'uts /u']);
  const host = await describeContainer({}, {}, { namespaces: { pid: 'host' }, cgroupVersion: 2 });
  expect(host.linux.namespaces.map(({ type }) => type)).toEqual(['mount', 'cgroup']);
  expect(host.linux.resources.unified).toEqual({ 'memory.oom.group': '1' });
  expect((await describeContainer({ oomScoreAdj: -997 })).process.oomScoreAdj).toBe(100);
  expect((await describeContainer({ oomScoreAdj: 1000 })).process.oomScoreAdj).toBe(1000);
});

test('privileged, unmasked, propagation, seccomp profiles', async () => {
  const privileged = await describeContainer({ securityContext: { privileged: true, seccompProfile: { type: 'RuntimeDefault' } } });
  expect([privileged.process.capabilities.bounding, privileged.linux.maskedPaths, privileged.linux.readonlyPaths, privileged.linux.seccomp]).toEqual([['CAP_CHOWN', 'CAP_SYS_ADMIN'], [], [], undefined]);
  expect(privileged.linux.resources.devices).toEqual([{ allow: true, access: 'rwm' }]);
  expect((await describeContainer({ securityContext: { procMount: 'Unmasked' } })).linux.maskedPaths).toEqual([]);
  expect((await describeContainer({}, { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } })).linux.seccomp?.defaultAction).toBe('SCMP_ACT_ERRNO');
  await expect(describeContainer({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../x.json' } } })).rejects.toThrow('cannot load seccomp profile "/nowhere/x.json"');
  const shared = { containerPath: '/m', hostPath: '/x', readonly: true, recursiveReadOnly: true, propagation: 'bidirectional' as const };
  const { linux, mounts } = await describeContainer({ mounts: [shared] });
  expect(linux.rootfsPropagation).toBe('rshared');
  expect(mounts.find((mount) => mount.destination === '/m')?.options).toEqual(['rbind', 'rshared', 'rro']);
});

test('a mount of the pod takes the place of ours; what lies deeper comes later', () => {
  const mount = (containerPath: string) => ({ containerPath, hostPath: `/host${containerPath}`, readonly: false, propagation: 'private' as const });
  const made = containerMounts([mount('/a/b/'), mount('/a'), mount('/dev/shm'), mount('/sys/fs/cgroup')], OWN, { privileged: false, readOnlyRoot: true }).map(({ destination, source, options }) => `${destination} ${source} ${options.at(-1)}`);
  expect(made).toEqual([
    '/proc proc nodev', '/dev tmpfs size=65536k', '/dev/pts devpts gid=5', '/dev/mqueue mqueue nodev', '/sys sysfs ro', '/a /host/a rw', '/etc/hostname /h ro', '/etc/resolv.conf /r ro', '/a/b /host/a/b/ rw', '/dev/shm /host/dev/shm rw',
    '/sys/fs/cgroup /host/sys/fs/cgroup rw',
  ]);
});

test('capabilities', () => {
  const all = capabilitiesOf('CapEff:\t00000000a80425fb\n', 'CapEff');
  expect(containerCapabilities(undefined, false, []).bounding.length).toBe(14);
  expect([...all].sort()).toEqual([...containerCapabilities(undefined, false, []).bounding].sort());
  expect(containerCapabilities({ add: ['ALL'], drop: ['CHOWN'] }, false, ['CAP_CHOWN', 'CAP_BPF']).effective).toEqual(['CAP_BPF']);
  expect(containerCapabilities({ add: ['cap_net_admin'], drop: ['ALL'] }, false, all).permitted).toEqual(['CAP_NET_ADMIN']);
});

test('the default seccomp profile: namespaces need a capability, calls of machines and capabilities', () => {
  const plain = defaultSeccomp([], 'x64');
  const allowed = (profile: typeof plain): Set<string> => new Set(profile.syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW' && !rule.args).flatMap((rule) => rule.names));
  expect(allowed(plain).has('openat')).toBe(true);
  expect(allowed(plain).has('arch_prctl')).toBe(true);
  for (const name of ['mount', 'unshare', 'setns', 'bpf', 'keyctl', 'add_key', 'kexec_load', 'init_module', 'reboot', 'io_uring_setup', 'userfaultfd', 'clone', 'clone3', 'open_by_handle_at']) expect(allowed(plain)).not.toContain(name);
  expect(plain.syscalls.find((rule) => rule.names[0] === 'clone')?.args).toEqual([{ index: 0, value: 0x7e020000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]);
  expect(plain.syscalls.find((rule) => rule.names[0] === 'clone3')).toMatchObject({ action: 'SCMP_ACT_ERRNO', errnoRet: 38 });
  const admin = allowed(defaultSeccomp(['CAP_SYS_ADMIN', 'CAP_SYS_CHROOT'], 'arm64'));
  for (const name of ['mount', 'clone3', 'chroot', 'cacheflush']) expect(admin).toContain(name);
});
