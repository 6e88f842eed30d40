import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Pod, V1PodSpec } from '../../api/generated/types.js';
import { podDns } from './dns-config.js';
import { hostsFile } from './hosts-file.js';
import type { LocalNode } from './local-node.js';
import { registryMatches } from './pull-credentials.js';
import { oomScoreAdj, podCgroup } from './qos.js';
import { localSandboxConfig } from './sandbox-config.js';
import { verifyNotRoot } from './verify-user.js';

const pod = (spec: Partial<V1PodSpec>): V1Pod => ({ metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers: [{ name: 'app' }], ...spec } });

describe('DNS of a pod', () => {
  let folder: string;
  let local: LocalNode;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dns-'));
    const resolvConf = join(folder, 'resolv.conf');
    await writeFile(resolvConf, '# made by hand\nnameserver 192.0.2.53\nsearch corp.example. lab.example\noptions timeout:1 ndots:2\n');
    local = { host: { clusterId: '0', stateFolder: folder, runFolder: folder, cgroup: '/x', interfacePrefix: 'k', tablePrefix: 'k' }, clusterDns: ['10.96.0.10'], clusterDomain: 'cluster.local', memoryBytes: 1, resolvConf, appArmor: false };
  });
  afterAll(() => rm(folder, { recursive: true }));
  const cluster = { servers: ['10.96.0.10'], searches: ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.example', 'lab.example'], options: ['ndots:5'] };
  const host = { servers: ['192.0.2.53'], searches: ['corp.example', 'lab.example'], options: ['timeout:1', 'ndots:2'] };

  test.each<[string, Partial<V1PodSpec>, unknown]>([
    ['ClusterFirst', {}, cluster],
    ['ClusterFirst in the host network is the host', { hostNetwork: true }, host],
    ['ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, cluster],
    ['Default', { dnsPolicy: 'Default' }, host],
    ['None', { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.2.3.4'], searches: ['a.b'], options: [{ name: 'ndots', value: '3' }, { name: 'edns0' }] } }, { servers: ['1.2.3.4'], searches: ['a.b'], options: ['ndots:3', 'edns0'] }],
    ['dnsConfig adds, and replaces options', { dnsConfig: { nameservers: ['10.96.0.10', '1.1.1.1', '1.1.1.2', '1.1.1.3'], searches: ['x.y'], options: [{ name: 'ndots', value: '1' }] } }, { servers: ['10.96.0.10', '1.1.1.1', '1.1.1.2'], searches: [...cluster.searches, 'x.y'], options: ['ndots:1'] }],
  ])('%s', async (_name, spec, expected) => {
    expect(await podDns(pod(spec), local)).toEqual(expected);
  });
});

test('a pod that wants users of its own gets no sandbox', async () => {
  const local: LocalNode = {
    host: { clusterId: '0', stateFolder: '/x', runFolder: '/x', cgroup: '/x', interfacePrefix: 'k', tablePrefix: 'k' }, clusterDns: [], clusterDomain: 'cluster.local', memoryBytes: 1, resolvConf: '/dev/null', appArmor: false,
  };
  await expect(localSandboxConfig(pod({ hostUsers: false }), 0, local)).rejects.toThrow("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
  await expect(localSandboxConfig(pod({ hostUsers: true }), 0, local)).resolves.toMatchObject({ hostNetwork: false });
});

test('the hosts file has the pod under its names, and the aliases', () => {
  const text = hostsFile(pod({ hostname: 'one', subdomain: 'sub', hostAliases: [{ ip: '9.9.9.9', hostnames: ['a', 'b'] }] }), ['10.244.0.5'], 'cluster.local');
  expect(text).toContain('10.244.0.5\tone.sub.shop.svc.cluster.local\tone\n');
  expect(text).toMatch(/^# Kubernetes-managed hosts file\.\n127\.0\.0\.1\tlocalhost\n/);
  expect(text.endsWith('\n\n# Entries added by HostAliases.\n9.9.9.9\ta\tb\n')).toBe(true);
  expect(hostsFile(pod({ hostNetwork: true }), [], 'cluster.local', '127.0.0.1 me\n')).toBe('# Kubernetes-managed hosts file (host network).\n127.0.0.1 me\n');
});

test('control groups and OOM scores follow the class of service', () => {
  const same = { cpu: '1', memory: '1Gi' };
  const guaranteed = pod({ containers: [{ name: 'app', resources: { requests: same, limits: same } }] });
  const burstable = pod({ containers: [{ name: 'app', resources: { requests: { memory: '1Gi' } } }, { name: 'small', resources: { requests: { memory: '1' } } }] });
  const memory = 4 * 1024 ** 3;
  expect([podCgroup(guaranteed), podCgroup(burstable), podCgroup(pod({}))]).toEqual(['/podu1', '/burstable/podu1', '/besteffort/podu1']);
  expect([oomScoreAdj(guaranteed, guaranteed.spec!.containers[0]!, memory), oomScoreAdj(pod({}), { name: 'app' }, memory)]).toEqual([-997, 1000]);
  expect(burstable.spec!.containers.map((container) => oomScoreAdj(burstable, container, memory))).toEqual([750, 999]);
});

test('users that must not be root', () => {
  const strict = pod({ securityContext: { runAsNonRoot: true } });
  const check = (target: V1Pod, user: string | undefined) => () => verifyNotRoot(target, target.spec!.containers[0]!, user === undefined ? undefined : { user });
  expect(check(strict, '1000')).not.toThrow();
  expect(check(strict, '')).toThrow('image will run as root');
  expect(check(strict, 'nginx')).toThrow('non-numeric user (nginx)');
  expect(check(pod({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }), '1')).toThrow("runAsUser breaks non-root policy");
  expect(check(pod({}), '')).not.toThrow();
});

test.each([
  ['https://index.docker.io/v1/', 'nginx', true],
  ['docker.io', 'library/nginx:1', true],
  ['registry.example:5000', 'registry.example:5000/a/b:1', true],
  ['registry.example', 'registry.example:5000/a', false],
  ['registry.example:5000/team', 'registry.example:5000/other/x', false],
  ['*.example.com', 'eu.example.com/x', true],
  ['*.example.com', 'a.eu.example.com/x', false],
])('credentials for %s and image %s: %s', (pattern, image, expected) => {
  expect(registryMatches(pattern, image)).toBe(expected);
});
