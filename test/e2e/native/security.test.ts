import { jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';
import { startNative, testImages } from '../../harness/native.js';
import { REGISTRY_USER, startRegistry } from '../../../scripts/lib/registry.mjs';
import { manifest } from './kubectl-process.js';

jest.setTimeout(180_000);

let cluster: ExecutableCluster;
beforeAll(async () => {
  cluster = await startNative();
  await cluster.kubectl(`apply -f ${manifest('security')}`);
  await cluster.kubectl('wait -n secure pod/confined pod/ordinary pod/privileged pod/shared --for=condition=Ready --timeout=60s');
});
afterAll(() => cluster.remove());

const get = (what: string, path: string): Promise<string> => cluster.kubectl(`get ${what} -n secure -o jsonpath={${path}}`);
const shell = (pod: string, command: string, container?: string): Promise<string> => cluster.kubectl(['exec', '-n', 'secure', pod, ...(container ? ['-c', container] : []), '--', 'sh', '-c', command]);
const waiting = (pod: string, field: 'reason' | 'message'): Promise<string> => get(`pod ${pod}`, `.status.containerStatuses[0].state.waiting.${field}`);

/** Fields of /proc/self/status. */
const processOf = async (pod: string, container?: string): Promise<Record<string, string>> =>
  Object.fromEntries((await shell(pod, 'cat /proc/self/status', container)).split('\n').map((line) => line.split(/:\s*/, 2) as [string, string]));

test.concurrent('user, groups, read-only root, no capabilities, seccomp, no new privileges', async () => {
  expect(await shell('confined', 'id -u; id -g; id -G', 'confined')).toBe('1000\n3000\n3000 2000 4000\n');
  expect(await processOf('confined', 'confined')).toMatchObject({ Seccomp: '2', NoNewPrivs: '1', CapEff: '0000000000000000', CapBnd: '0000000000000000' });
  expect(await shell('confined', 'touch /no 2>&1 || true', 'confined')).toContain('Read-only file system');
  expect(await shell('confined', 'touch /data/file; stat -c "%u %g" /data/file; stat -c "%g %a" /data', 'confined')).toBe('1000 2000\n2000 2777\n');
  expect(await shell('confined', 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start', 'confined')).toBe('80\n');
  // RuntimeDefault refuses new namespaces without CAP_SYS_ADMIN.
  expect(await shell('confined', 'unshare -U true 2>&1 || true', 'confined')).toContain('Operation not permitted');
  expect(await processOf('confined', 'root')).toMatchObject({ Seccomp: '0', NoNewPrivs: '0', CapEff: '0000000000001000' });
});

test.concurrent('an ordinary container has the default capabilities and its own namespaces', async () => {
  expect(await processOf('ordinary')).toMatchObject({ Seccomp: '0', CapEff: '00000000a80425fb' });
  expect(await shell('ordinary', 'hostname; ps -o pid,args | head -2 | tail -1')).toMatch(/^someone\n +1 sleep infinity\n$/);
  expect(await shell('ordinary', 'cat /etc/hosts')).toMatch(/# Kubernetes-managed hosts file\.[\s\S]*192\.0\.2\.77\tfriend/);
  expect(await shell('ordinary', 'echo 1 > /proc/sys/kernel/hostname 2>&1 || true; cat /proc/kcore | wc -c')).toContain('0\n');
});

test.concurrent('limits are set in the control group', async () => {
  // Version 1, or 2.
  expect(await shell('confined', 'cd /sys/fs/cgroup; cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us | xargs', 'confined')).toBe('50000 100000\n');
  expect(await shell('confined', 'cd /sys/fs/cgroup; cat memory.max 2>/dev/null || cat memory/memory.limit_in_bytes', 'confined')).toBe(`${64 << 20}\n`);
  expect(await shell('confined', 'cat /sys/fs/cgroup/cpu.weight /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || true', 'confined')).toMatch(/^(256|10|\d\d)\n$/);
  expect(await get('pod confined', '.status.qosClass')).toBe('Burstable');
  expect(await get('pod ordinary', '.status.qosClass')).toBe('BestEffort');
  expect(await shell('ordinary', 'cat /proc/1/oom_score_adj')).toBe('1000\n');
});

test.concurrent("the host's processes and network for a privileged pod", async () => {
  expect(Number((await shell('privileged', 'ps | wc -l')).trim())).toBeGreaterThan(20);
  expect(await shell('privileged', 'tr "\\0" " " < /proc/1/cmdline')).not.toContain('sleep');
  expect(await get('pod privileged', '.status.podIP')).toBe(await get('pod privileged', '.status.hostIP'));
  expect(await shell('privileged', 'ip addr')).toContain(await get('pod privileged', '.status.hostIP'));
  const host = /^CapBnd:\s*(\w+)$/m.exec(await readFile('/proc/self/status', 'utf8'))![1];
  expect(await processOf('privileged')).toMatchObject({ Seccomp: '0', CapEff: host });
  expect(await shell('privileged', 'grep " /sys " /proc/mounts')).toContain(' rw,');
});

test.concurrent('containers of a pod that share their processes', async () => {
  expect(await shell('shared', 'ps -o args', 'one')).toMatch(/sleep 11111[\s\S]*sleep 22222/);
});

test.concurrent('what cannot be started says why', async () => {
  await eventually(async () => (await waiting('not-root', 'reason')) === 'CreateContainerConfigError', 'CreateContainerConfigError');
  expect(await waiting('not-root', 'message')).toMatch(/^container has runAsNonRoot and image will run as root \(pod: "not-root_secure\([0-9a-f-]+\)", container: not-root\)$/);
  await eventually(async () => (await get('pod no-program', '.status.phase')) === 'Failed', 'the pod fails');
  expect(JSON.parse(await get('pod no-program', '.status.containerStatuses[0].state.terminated'))).toMatchObject({ reason: 'StartError', exitCode: 128, message: expect.stringContaining('exec: "no-such-program": executable file not found in $PATH') });
  await eventually(async () => (await waiting('never-pulled', 'reason')) === 'ErrImageNeverPull', 'ErrImageNeverPull');
  expect(await waiting('never-pulled', 'message')).toBe('Container image "kube.test/nothing:1" is not present with pull policy of Never');
});

test.concurrent('an image of a registry with a secret; with the wrong password the reason is told', async () => {
  const registry = await startRegistry({ auth: 'basic' });
  try {
    const [pushed] = await registry.push((await testImages())['busybox']!.oci, 'private/app:1');
    const reference = pushed!.reference;
    const secret = (name: string, password: string): Promise<string> =>
      cluster.kubectl(['create', 'secret', 'docker-registry', name, '-n', 'secure', `--docker-server=${registry.host}`, `--docker-username=${REGISTRY_USER.username}`, `--docker-password=${password}`]);
    await Promise.all([secret('right', REGISTRY_USER.password), secret('wrong', 'guess')]);
    const pod = (name: string, pullSecret: string): string => JSON.stringify({
      apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'secure' },
      spec: { restartPolicy: 'Never', imagePullSecrets: [{ name: pullSecret }], containers: [{ name: 'main', image: reference, imagePullPolicy: 'Always', command: ['echo', 'pulled'] }] },
    });
    await cluster.kubectl('apply -f -', { input: pod('wrong', 'wrong') });
    await eventually(async () => (await waiting('wrong', 'reason')) === 'ImagePullBackOff', 'ImagePullBackOff');
    expect(await waiting('wrong', 'message')).toMatch(/^Back-off pulling image ".*private\/app:1": ErrImagePull: .*(401|unauthorized)/i);
    const told = await get('events --field-selector=involvedObject.name=wrong', '.items[*].message');
    for (const text of [`Pulling image "${reference}"`, `Failed to pull image "${reference}": `, 'Error: ErrImagePull', `Back-off pulling image "${reference}"`, 'Error: ImagePullBackOff']) expect(told).toContain(text);

    await cluster.kubectl('apply -f -', { input: pod('right', 'right') });
    await cluster.kubectl('wait -n secure pod/right --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
    expect(await cluster.kubectl('logs -n secure right')).toBe('pulled\n');
    expect(await get('pod right', '.status.containerStatuses[0].imageID')).toContain('@sha256:');
    expect(await get('events --field-selector=involvedObject.name=right', '.items[*].message')).toMatch(/Successfully pulled image ".*private\/app:1" in [\d.]+m?s \([\d.]+m?s including waiting\)\. Image size: \d+ bytes\./);
  } finally {
    await registry.stop();
  }
});
