import { nativeObstacle, type HostFacts } from './capability.js';

const FILES: Readonly<Record<string, string>> = {
  '/proc/self/status': 'Name:\tnode\nCapEff:\t000001ffffffffff\n',
  '/proc/filesystems': 'nodev\tsysfs\nnodev\toverlay\n\text4\n',
  '/proc/self/mounts': 'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\ncgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n',
};

const facts = (more: Partial<HostFacts> = {}, files: Readonly<Record<string, string>> = {}): HostFacts => ({
  platform: 'linux', uid: 0, path: '/bin:/sbin', read: (file) => Promise.resolve({ ...FILES, ...files }[file]), isExecutable: () => Promise.resolve(true), ...more,
});

test('a host with everything has no obstacle, with either version of control groups', async () => {
  expect(await nativeObstacle(facts())).toBeUndefined();
  expect(await nativeObstacle(facts({}, { '/proc/self/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n' }))).toBeUndefined();
});

test.each<[string, Partial<HostFacts>, Readonly<Record<string, string>>, string]>([
  ['another system', { platform: 'darwin' }, {}, 'native containers need Linux, this is darwin'],
  ['a user', { uid: 1000 }, {}, 'native containers need root'],
  ['missing programs', { isExecutable: (file) => Promise.resolve(!/runc|nft/.test(file)) }, {}, 'install them with "apt-get install runc nftables"'],
  ['few capabilities', {}, { '/proc/self/status': 'CapEff:\t00000000a80425fb\n' }, 'need CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_SYS_ADMIN,'],
  ['no overlayfs', {}, { '/proc/filesystems': 'nodev\tsysfs\n' }, 'overlayfs'],
  ['no control groups', {}, { '/proc/self/mounts': 'proc /proc proc rw 0 0\n' }, 'none are mounted'],
  ['a missing controller', {}, { '/proc/self/mounts': 'cgroup /c/memory cgroup rw,memory 0 0\ncgroup /c/cpu cgroup rw,cpu 0 0\n' }, 'controller pids, which is not mounted'],
])('%s is said in one line', async (_name, more, files, text) => {
  const obstacle = await nativeObstacle(facts(more, files));
  expect(obstacle).toContain(text);
  expect(obstacle).not.toContain('\n');
});
