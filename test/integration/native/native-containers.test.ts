import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { jest } from '@jest/globals';
import { testContainer, testSandbox } from '../../../src/node/runtime/testsuite/contract.js';
import type { ContainerConfig, ContainerStatus, PodSandboxConfig } from '../../../src/node/runtime/types.js';
import { startNative, type NativeUnderTest } from './native-under-test.js';

let under: NativeUnderTest;
let ref: string;
let pods = 0;

beforeAll(async () => {
  under = await startNative({ imageConfig: { volumes: ['/data'], user: 'alice:friends', stopSignal: 'SIGUSR1' } });
  ref = await under.runtime.images.pullImage('test/busybox:1');
});
afterAll(async () => expect(await under.close()).toEqual([]));

async function sandbox(more: Partial<PodSandboxConfig> = {}): Promise<{ readonly id: string; readonly config: PodSandboxConfig }> {
  const uid = `u${pods++}`;
  const config = testSandbox(uid, { cgroupParent: `/burstable/pod${uid}`, ...more });
  return { id: await under.runtime.containers.runPodSandbox(config), config };
}

async function start(pod: { readonly id: string; readonly config: PodSandboxConfig }, script: string, more: Partial<ContainerConfig> = {}): Promise<string> {
  const { containers } = under.runtime;
  const id = await containers.createContainer(pod.id, testContainer('test/busybox:1', ['sh', '-c', script], { imageRef: ref, ...more }), pod.config);
  await containers.startContainer(id);
  return id;
}

/** Resolves with a container's status once it has exited. */
async function ended(id: string): Promise<ContainerStatus> {
  const { containers } = under.runtime;
  let done!: () => void;
  const stopped = new Promise<void>((resolve) => (done = resolve));
  const end = containers.onEvent((event) => event.type === 'stopped' && event.containerId === id && done());
  if ((await containers.containerStatus(id)).state !== 'exited') await stopped;
  end();
  return containers.containerStatus(id);
}

/** What a container says in its termination message, without the last line break. */
async function says(script: string, more: Partial<ContainerConfig> = {}, pod?: Partial<PodSandboxConfig>): Promise<string> {
  const made = await sandbox(pod);
  const status = await ended(await start(made, `{ ${script}; } > /dev/termination-log 2>&1`, more));
  await under.runtime.containers.removePodSandbox(made.id);
  return status.message.trimEnd();
}

/** Resolves when a container has printed something. */
async function printed(id: string): Promise<void> {
  const abort = new AbortController();
  for await (const chunk of under.runtime.containers.containerLogs(id, { follow: true, timestamps: false, signal: abort.signal })) if (chunk.length > 0) return abort.abort();
}

const exec = async (id: string, script: string): Promise<string> => (await under.runtime.containers.execSync(id, ['sh', '-c', script], 10)).stdout.toString().trimEnd();

describe('identity', () => {
  test.each<[string, Partial<ContainerConfig>, Partial<PodSandboxConfig>, string]>([
    ['the image names a user: of its group nothing counts', {}, {}, 'uid=1000(alice) gid=1001(alice) groups=1001(alice),2000(friends)'],
    ['numbers of the pod', {}, { securityContext: { runAsUser: 7, runAsGroup: 8, fsGroup: 9, supplementalGroups: [10] } }, 'uid=7 gid=8 groups=8,9,10'],
    ['the container before the pod', { securityContext: { runAsUser: 0 } }, { securityContext: { runAsUser: 7 } }, 'uid=0(root) gid=0(root) groups=0(root)'],
    ['no groups of the image', {}, { securityContext: { runAsUser: 1000, supplementalGroupsPolicy: 'Strict', supplementalGroups: [5] } }, 'uid=1000(alice) gid=1001(alice) groups=5,1001(alice)'],
  ])('%s', async (_name, container, pod, expected) => {
    const sorted = (text: string): string => text.replace(/groups=(.*)/, (_all, list: string) => `groups=${list.split(',').sort().join(',')}`);
    expect(sorted(await says('id', container, pod))).toBe(sorted(expected));
  });

  test('status tells the user', async () => {
    const pod = await sandbox({ securityContext: { fsGroup: 9 } });
    const id = await start(pod, 'true');
    expect((await under.runtime.containers.containerStatus(id)).user).toEqual({ uid: 1000, gid: 1001, supplementalGroups: [1001, 2000, 9] });
  });

  test('a user that the image does not have is an error', async () => {
    const pod = await sandbox();
    const other = await startNative({ imageConfig: { user: 'nobody-here' } });
    const reference = await other.runtime.images.pullImage('test/other:1');
    const id = await other.runtime.containers.runPodSandbox(pod.config);
    await expect(other.runtime.containers.createContainer(id, testContainer('x', ['true'], { imageRef: reference }), pod.config)).rejects.toThrow('unable to find user nobody-here: no matching entries in passwd file');
    expect(other.images.held.size).toBe(0);
    expect(await other.close()).toEqual([]);
  });
});

describe('what a process is allowed', () => {
  const mask = (line: string): string => `grep ${line} /proc/self/status | awk '{print $2}'`;
  test.each<[string, Partial<ContainerConfig>, string, string]>([
    ['the default capabilities', { securityContext: { runAsUser: 0 } }, mask('CapEff'), '00000000a80425fb'],
    ['no capabilities', { securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'] } } }, mask('CapBnd'), '0000000000000000'],
    ['one capability', { securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } } }, mask('CapBnd'), '0000000000000400'],
    ['new privileges', {}, mask('NoNewPrivs'), '0'],
    ['no new privileges', { securityContext: { allowPrivilegeEscalation: false } }, mask('NoNewPrivs'), '1'],
    ['no seccomp', {}, 'grep ^Seccomp: /proc/self/status', 'Seccomp:\t0'],
    ['the default seccomp profile', { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, 'grep ^Seccomp: /proc/self/status', 'Seccomp:\t2'],
    ['a read-only root', { securityContext: { readOnlyRootFilesystem: true, runAsUser: 0 } }, 'touch /x || echo refused', "touch: /x: Read-only file system\nrefused"],
    ['read-only kernel settings', { securityContext: { runAsUser: 0 } }, 'echo 1 > /proc/sys/kernel/panic || echo refused', "sh: can't create /proc/sys/kernel/panic: Read-only file system\nrefused"],
    ['masked files of the kernel', { securityContext: { runAsUser: 0 } }, 'wc -c < /proc/keys', '0'],
    ['privileged: kernel settings can be written', { securityContext: { runAsUser: 0, privileged: true } }, 'cat /proc/sys/kernel/panic > /proc/sys/kernel/panic && echo written', 'written'],
    ['privileged: the devices of the host', { securityContext: { runAsUser: 0, privileged: true } }, 'ls /dev/kmsg', '/dev/kmsg'],
  ])('%s', async (_name, more, script, expected) => {
    expect((await says(script, more)).replace(/sh: line \d+: /, 'sh: ')).toBe(expected);
  });

  test('the default profile refuses to mount, also with the privilege to ask, and lets threads begin', async () => {
    expect(await says('unshare -U true; echo $?', { securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } } })).toMatch(/Operation not permitted\n1$/);
    expect(await says('unshare -U true; echo $?', { securityContext: { runAsUser: 0 } })).toBe('0');
  });
});

describe('what a process sees', () => {
  test('its environment: the image, the pod, its host name', async () => {
    const text = await says('env', { envs: [{ name: 'FROM_IMAGE', value: 'no' }, { name: 'OWN', value: 'a b' }] });
    expect(text.split('\n')).toEqual(expect.arrayContaining(['FROM_IMAGE=no', 'OWN=a b', 'PATH=/bin', 'HOME=/home/alice', expect.stringMatching(/^HOSTNAME=pod-u\d+$/)]));
  });

  test('name servers and host name of the pod', async () => {
    const dns = { servers: ['10.96.0.10'], searches: ['a.svc.cluster.local', 'cluster.local'], options: ['ndots:5'] };
    expect(await says('cat /etc/resolv.conf /etc/hostname; hostname', {}, { dns, hostname: 'web-0' })).toBe('search a.svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\nweb-0\nweb-0');
  });

  test('sysctls of the pod and the defaults for all', async () => {
    const sysctls = [{ name: 'net.core.somaxconn', value: '77' }, { name: 'kernel.shm_rmid_forced', value: '1' }];
    expect(await says('cat /proc/sys/net/core/somaxconn /proc/sys/kernel/shm_rmid_forced /proc/sys/net/ipv4/ip_unprivileged_port_start', {}, { securityContext: { sysctls } })).toBe('77\n1\n0');
    await expect(sandbox({ securityContext: { sysctls: [{ name: 'vm.swappiness', value: '1' }] } })).rejects.toThrow('sysctl "vm.swappiness" is not namespaced');
    await expect(sandbox({ hostNetwork: true, securityContext: { sysctls } })).rejects.toThrow("the pod uses the host's net namespace");
  });

  test('the host, with its namespaces', async () => {
    const own = async (kind: string): Promise<string> => (await under.commands.run('readlink', [`/proc/self/ns/${kind}`])).stdout.toString().trimEnd();
    const script = 'readlink /proc/self/ns/net; readlink /proc/self/ns/ipc; readlink /proc/self/ns/pid; hostname; cat /etc/hostname';
    expect((await says(script, {}, { hostNetwork: true, hostIpc: true, hostPid: true })).split('\n')).toEqual([await own('net'), await own('ipc'), await own('pid'), hostname(), hostname()]);
    const separate = (await says(script)).split('\n');
    for (const [index, kind] of ['net', 'ipc', 'pid'].entries()) expect(separate[index]).not.toBe(await own(kind));
  });

  test('volumes of the image begin with its content, each container its own', async () => {
    expect(await says('cat /data/seed; echo more > /data/seed; grep " /data " /proc/mounts | wc -l', { securityContext: { runAsUser: 0 } })).toBe('seed\n1');
    expect(await says('cat /data/seed')).toBe('seed');
  });

  test('mounts: written, read-only, deeper ones over others, one in place of ours', async () => {
    const folder = `${under.host.stateFolder}/test-mounts`;
    await mkdir(`${folder}/a/b`, { recursive: true });
    await mkdir(`${folder}/c`, { recursive: true });
    await writeFile(`${folder}/c/deep`, 'deep\n');
    await writeFile(`${folder}/hostname`, 'mine\n');
    const mounts = [
      { containerPath: '/mnt/b', hostPath: `${folder}/c`, readonly: true, propagation: 'private' as const },
      { containerPath: '/mnt', hostPath: `${folder}/a`, readonly: false, propagation: 'host-to-container' as const },
      { containerPath: '/etc/hostname', hostPath: `${folder}/hostname`, readonly: true, propagation: 'private' as const },
    ];
    expect(await says('cat /mnt/b/deep /etc/hostname; echo new > /mnt/new; touch /mnt/b/x 2>/dev/null || echo refused', { mounts, securityContext: { runAsUser: 0 } })).toBe('deep\nmine\nrefused');
    expect(await readFile(`${folder}/a/new`, 'utf8')).toBe('new\n');
  });

  test('a working folder that the image lacks is made', async () => {
    expect(await says('pwd', { workingDir: '/made/here', securityContext: { runAsUser: 0 } })).toBe('/made/here');
  });
});

describe('pods', () => {
  test('containers share memory and messages, not processes', async () => {
    const pod = await sandbox();
    const first = await start(pod, 'echo hello > /dev/shm/note; while :; do sleep 1; done');
    const second = await start(pod, 'while :; do sleep 1; done', { name: 'other' });
    expect(await exec(second, 'cat /dev/shm/note; ps | grep -c "[e]cho hello"')).toBe('hello\n0');
    expect(await exec(first, 'readlink /proc/self/ns/ipc')).toBe(await exec(second, 'readlink /proc/self/ns/ipc'));
    await under.runtime.containers.removePodSandbox(pod.id);
  });

  test('processes are shared when the pod wants it, and go with the sandbox', async () => {
    const pod = await sandbox({ shareProcessNamespace: true });
    const first = await start(pod, 'exec sleep 1234');
    const second = await start(pod, 'while :; do sleep 1; done', { name: 'other' });
    expect(await exec(second, 'ps | grep -c "[s]leep 1234"; cat /proc/1/comm')).toBe('1\npause');
    await under.runtime.containers.stopContainer(first, 0);
    expect((await under.runtime.containers.containerStatus(second)).state).toBe('running');
    await under.runtime.containers.removePodSandbox(pod.id);
  });

  test('an ephemeral container sees the processes of its target', async () => {
    const pod = await sandbox();
    const target = await start(pod, 'exec sleep 4321');
    const debug = await start(pod, 'while :; do sleep 1; done', { name: 'debug', kind: 'ephemeral', targetContainerId: target });
    expect(await exec(debug, 'ps | grep -c "[s]leep 4321"')).toBe('1');
    await under.runtime.containers.removePodSandbox(pod.id);
  });

  test('the groups of a pod and its class have their shares, and go', async () => {
    const pod = await sandbox({ resources: { requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '64Mi' } } });
    const read = (controller: string, path: string): Promise<string> => readFile(`/sys/fs/cgroup/${controller}${under.host.cgroup}${path}`, 'utf8').then((text) => text.trim());
    expect(await read('cpu', `${pod.config.cgroupParent}/cpu.shares`)).toBe('256');
    expect(await read('cpu', `${pod.config.cgroupParent}/cpu.cfs_quota_us`)).toBe('50000');
    expect(await read('memory', `${pod.config.cgroupParent}/memory.limit_in_bytes`)).toBe('67108864');
    expect(await read('cpu', '/burstable/cpu.shares')).toBe('256');
    const id = await start(pod, 'sleep 100', { resources: { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '32Mi' } } });
    expect(await read('memory', `${pod.config.cgroupParent}/${id}/memory.limit_in_bytes`)).toBe('33554432');
    expect(await read('cpu', `${pod.config.cgroupParent}/${id}/cpu.shares`)).toBe('102');
    await under.runtime.containers.updateContainerResources(id, { requests: { cpu: '300m' }, limits: { memory: '48Mi' } });
    expect(await read('memory', `${pod.config.cgroupParent}/${id}/memory.limit_in_bytes`)).toBe('50331648');
    expect(await read('cpu', `${pod.config.cgroupParent}/${id}/cpu.cfs_quota_us`)).toBe('-1');
    await under.runtime.containers.removePodSandbox(pod.id);
    expect(await readdir(`/sys/fs/cgroup/memory${under.host.cgroup}/burstable`)).not.toContain(pod.config.cgroupParent.split('/')[2]);
  });
});

describe('ends', () => {
  test('out of memory', async () => {
    const pod = await sandbox();
    const status = await ended(await start(pod, 'x=a; while :; do x=$x$x; done', { resources: { limits: { memory: '16Mi' } } }));
    expect(status).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('the signal of the image, and of the container', async () => {
    for (const [stopSignal, said] of [[undefined, 'usr1'], ['SIGHUP', 'hup']] as const) {
      const pod = await sandbox();
      const id = await start(pod, 'trap "echo usr1 > /dev/termination-log; exit 5" USR1; trap "echo hup > /dev/termination-log; exit 5" HUP; echo ready; while :; do sleep 0.1; done', stopSignal ? { stopSignal } : {});
      await printed(id);
      await under.runtime.containers.stopContainer(id, 30);
      expect(await under.runtime.containers.containerStatus(id)).toMatchObject({ exitCode: 5, message: `${said}\n` });
    }
  });

  test('a shorter time given later wins', async () => {
    const pod = await sandbox();
    const id = await start(pod, 'trap "" USR1; while :; do sleep 0.1; done');
    const long = under.runtime.containers.stopContainer(id, 1000);
    await under.runtime.containers.stopContainer(id, 0);
    await long;
    expect((await under.runtime.containers.containerStatus(id)).exitCode).toBe(137);
  });

  test('the end of the log in place of a message', async () => {
    const pod = await sandbox();
    const status = await ended(await start(pod, 'for i in $(seq 1 100); do echo line $i; done; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' }));
    expect(status.message.split('\n')).toEqual([...Array.from({ length: 80 }, (_v, index) => `line ${index + 21}`), '']);
    expect((await ended(await start(pod, 'echo fine', { terminationMessagePolicy: 'FallbackToLogsOnError' }))).message).toBe('');
  });

  test('a program that does not exist: reported as the start failed, and the next one goes well', async () => {
    const pod = await sandbox();
    const { containers } = under.runtime;
    const id = await containers.createContainer(pod.id, testContainer('test/busybox:1', ['no-such-program'], { imageRef: ref }), pod.config);
    await expect(containers.startContainer(id)).rejects.toThrow('exec: "no-such-program": executable file not found in $PATH');
    expect(await containers.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 128, reason: 'StartError' });
    await ended(await start(pod, 'true'));
  });

  test('its end counts also when it cannot be written down', async () => {
    const pod = await sandbox();
    const id = await start(pod, 'sleep 1000');
    // Like a full disk, for this container alone.
    const obstacle = `${under.host.stateFolder}/containers/${id}/record.json.tmp`;
    await mkdir(obstacle);
    await under.runtime.containers.stopContainer(id, 0);
    expect(await under.runtime.containers.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 137 });
    await rm(obstacle, { recursive: true });
    await under.runtime.containers.removePodSandbox(pod.id);
  });

  test('with its monitor: a container that nobody would hear of any more is ended', async () => {
    const pod = await sandbox();
    const id = await start(pod, 'while :; do sleep 1; done');
    const { monitor, init } = JSON.parse(await readFile(`${under.host.stateFolder}/containers/${id}/record.json`, 'utf8')) as { monitor: { pid: number }; init: { pid: number } };
    process.kill(monitor.pid, 'SIGKILL');
    expect(await ended(id)).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(await readFile(`/proc/${init.pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
  });

  test('a fork bomb dies as a whole', async () => {
    const pod = await sandbox({ shareProcessNamespace: true });
    const id = await start(pod, 'trap "" TERM; echo ready; for i in $(seq 1 50); do (trap "" TERM; while :; do sleep 1000 & sleep 0.05; done) & done; wait');
    await printed(id);
    await under.runtime.containers.stopContainer(id, 0);
    await under.runtime.containers.removePodSandbox(pod.id);
    expect(await readdir(`/sys/fs/cgroup/pids${under.host.cgroup}/burstable`)).not.toContain(pod.config.cgroupParent.split('/')[2]);
  });
});

describe('commands in containers', () => {
  test('a program that does not exist is an error, an exit code is not', async () => {
    const id = await start(await sandbox(), 'sleep 1000');
    await expect(under.runtime.containers.execSync(id, ['no-such-program'], 0)).rejects.toThrow('OCI runtime exec failed: exec failed: unable to start container process: exec: "no-such-program": executable file not found in $PATH');
    expect((await under.runtime.containers.execSync(id, ['sh', '-c', 'exit 127'], 0)).exitCode).toBe(127);
  });

  test('out of time, it is killed with what it began; the container goes on', async () => {
    const id = await start(await sandbox(), 'while :; do sleep 1; done');
    await expect(under.runtime.containers.execSync(id, ['sh', '-c', 'sleep 7777 & sleep 7777; true'], 1)).rejects.toMatchObject({ code: 'KUBE_RUNTIME_TIMEOUT' });
    expect(await exec(id, 'ps | grep -c "[s]leep 7777"')).toBe('0');
    expect((await under.runtime.containers.containerStatus(id)).state).toBe('running');
  });
});

test('paths of the image do not lead out of it', async () => {
  const other = await startNative({ imageConfig: { volumes: ['/escape'] } });
  const reference = await other.runtime.images.pullImage('test/hostile:1');
  const base = (await other.images.unpacked(reference))!.layers[1]!;
  await symlink('/etc', `${base}/escape`);
  const pod = testSandbox('x');
  const id = await other.runtime.containers.runPodSandbox(pod);
  const container = await other.runtime.containers.createContainer(id, testContainer('x', ['ls', '/escape'], { imageRef: reference }), pod);
  await other.runtime.containers.startContainer(container);
  await other.pass(300);
  const copied = await readdir(`${other.host.stateFolder}/containers/${container}/volumes/0`);
  expect(copied).toEqual(expect.arrayContaining(['group', 'passwd']));
  expect(copied).not.toContain('shadow');
  expect(await other.close()).toEqual([]);
});

test('an image of more layers than fit into the options of a mount', async () => {
  const layers = await Promise.all(Array.from({ length: 80 }, async (_value, index) => {
    const layer = `${under.host.stateFolder}/layers/${String(index).padStart(3, '0')}${'x'.repeat(60)}/fs`;
    await mkdir(layer, { recursive: true });
    await writeFile(`${layer}/which`, `${index}\n`);
    if (index === 79) await writeFile(`${layer}/lowest`, 'lowest\n');
    return layer;
  }));
  const image = (await under.images.unpacked(ref))!;
  const found = jest.spyOn(under.images, 'unpacked').mockResolvedValue({ ...image, layers: [...layers, ...image.layers] });
  try {
    expect(await says('cat /which /lowest /marker')).toBe('0\nlowest\ntop');
  } finally {
    found.mockRestore();
  }
});

test('a log that was moved away is begun anew, without a gap', async () => {
  const pod = await sandbox();
  const { containers } = under.runtime;
  const id = await start(pod, 'i=0; while :; do echo $((i++)); sleep 0.02; done');
  await printed(id);
  const { path } = [...containers.runningLogs!()].find((item) => item.containerId === id)!;
  await rename(path, `${path}.1`);
  await containers.reopenContainerLog!(id);
  await printed(id);
  await containers.stopContainer(id, 0);
  const numbers = (await Promise.all([`${path}.1`, path].map((file) => readFile(file, 'utf8')))).join('').trim().split('\n').map((line) => Number(line.split(' ')[3]));
  expect(numbers).toEqual(numbers.map((_value, index) => index));
  expect((await containers.containerStats({ podUid: pod.config.metadata.uid })).length).toBe(0);
  await containers.removePodSandbox(pod.id);
  expect(await readdir(path.slice(0, path.lastIndexOf('/'))).catch(() => [])).toEqual([]);
});

test('input, read to its end', async () => {
  const pod = await sandbox();
  const id = await start(pod, 'cat > /dev/termination-log', { stdin: true, stdinOnce: true });
  const session = await under.runtime.containers.attach(id, { stdin: true, stdout: true, stderr: false, tty: false });
  session.stdin!.end('typed in\n');
  expect((await ended(id)).message).toBe('typed in\n');
  await session.exit;
});
