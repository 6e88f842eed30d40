import { jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, kube, run, type ExecutableCluster } from '../../harness/executable.js';
import { BUSYBOX, NGINX, startNative } from '../../harness/native.js';
import { documents } from './support/documents.js';
import { OutsideClient } from './support/outside-client.js';
import { ownHost, processes } from './support/own-host.js';
import { hostSnapshot, type HostSnapshot } from './support/snapshot.js';

jest.setTimeout(300_000);

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly reason?: string;
}

interface Reset {
  readonly code: number;
  readonly removed: readonly Item[];
  readonly remaining: readonly Item[];
}

/** Resets the cluster of a folder, or says what a reset would remove. */
async function reset(dataDir: string, ...flags: readonly string[]): Promise<Reset> {
  const { code, stdout, stderr } = await kube(['reset', '--data-dir', dataDir, '-o', 'json', '--kubeconfig', join(tmpdir(), 'kube-no-such-file'), ...flags]);
  if (stdout === '') throw new Error(`kube reset said nothing, and on stderr: ${stderr}`);
  return { code, ...(JSON.parse(stdout) as Omit<Reset, 'code'>) };
}

async function sameHost(before: HostSnapshot, cluster: ExecutableCluster): Promise<void> {
  await eventually(async () => expect(await hostSnapshot(ownHost(cluster.dataDir))).toEqual(before) === undefined, 'the host is as before', 15_000);
}

/** Pods with everything that leaves something on a host. */
const LIFE = documents(
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80 }] } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'nginx', image: NGINX }] } } } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { key: 'value' } },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'claim' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } },
  {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'full' },
    spec: {
      terminationGracePeriodSeconds: 1, shareProcessNamespace: true,
      containers: [{
        name: 'c', image: BUSYBOX, command: ['sleep', '1000'], ports: [{ containerPort: 80, hostPort: 38211 }],
        volumeMounts: [{ name: 'memory', mountPath: '/memory' }, { name: 'disk', mountPath: '/disk', subPath: 'below' }, { name: 'claim', mountPath: '/claim' }, { name: 'settings', mountPath: '/settings/key', subPath: 'key' }],
      }],
      volumes: [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }, { name: 'disk', emptyDir: {} }, { name: 'claim', persistentVolumeClaim: { claimName: 'claim' } }, { name: 'settings', configMap: { name: 'settings' } }],
    },
  },
);

const open: ChildProcess[] = [];

afterEach(() => {
  for (const session of open.splice(0)) session.kill('SIGKILL');
});

/** Gives a cluster a life: pods, services, claims, and sessions that are open. */
async function live(cluster: ExecutableCluster): Promise<void> {
  await cluster.kubectl('apply -f -', { input: LIFE });
  await cluster.kubectl('wait --for=condition=Ready pod/full --timeout=60s');
  await cluster.kubectl('wait --for=condition=Available deployment/web --timeout=60s');
  const kubectl = join(import.meta.dirname, '../../../.cache/tools/v35/kubectl');
  const sessions = [['exec', '-i', 'full', '--', 'sh', '-c', 'echo begun; sleep 1000'], ['port-forward', 'service/web', ':80']].map((args) => spawn(kubectl, ['--kubeconfig', cluster.ready.kubeconfig, ...args], { stdio: ['pipe', 'pipe', 'ignore'] }));
  await Promise.all(sessions.map((session) => new Promise((resolve) => session.stdout!.once('data', resolve))));
  open.push(...sessions);
}

test('after a life and a crash a reset leaves nothing; what it removes is what --dry-run lists; again there is nothing to do', async () => {
  const before = await hostSnapshot();
  const cluster = await startNative([], ['busybox', 'nginx']);
  await live(cluster);
  await cluster.kill();
  const own = ownHost(cluster.dataDir);
  const standing = await eventually(async () => {
    const [first, second] = [await hostSnapshot(own), await hostSnapshot(own)];
    return JSON.stringify(first) === JSON.stringify(second) && first;
  }, 'the host is at rest');
  const planned = await reset(cluster.dataDir, '--dry-run');
  expect(await hostSnapshot(own)).toEqual(standing);
  expect(new Set(planned.removed.map(({ kind }) => kind))).toEqual(new Set(['file', 'process', 'mount', 'cgroup', 'interface', 'route', 'address', 'nftables-table', ...(planned.removed.some(({ kind }) => kind === 'sysctl') ? ['sysctl'] : [])]));
  const done = await reset(cluster.dataDir, '--yes');
  expect(done).toEqual({ code: 0, dryRun: false, removed: planned.removed, remaining: [] });
  expect(await reset(cluster.dataDir, '--dry-run')).toMatchObject({ code: 0, removed: [], remaining: [] });
  expect(await reset(cluster.dataDir, '--yes')).toMatchObject({ code: 0, removed: [], remaining: [] });
  await sameHost(before, cluster);
});

test.each([['that runs', false], ['that was killed', true]])('a reset finds everything of a cluster %s whose folder is gone', async (_what, killed) => {
  const before = await hostSnapshot();
  const cluster = await startNative([], ['busybox', 'nginx']);
  const { pid } = cluster.ready;
  await live(cluster);
  if (killed) await cluster.kill();
  // What is mounted below it stays for the moment.
  await run('rm', ['-rf', cluster.dataDir]);
  const done = await reset(cluster.dataDir, '--yes');
  expect(done).toMatchObject({ code: 0, remaining: [] });
  expect((await processes()).filter((one) => one.pid === pid)).toEqual([]);
  expect(await readdir(cluster.dataDir).catch(() => 'gone')).toBe('gone');
  await sameHost(before, cluster);
});

test('what cannot be removed is told, and goes with the next reset', async () => {
  const before = await hostSnapshot();
  const cluster = await startNative([], ['busybox']);
  const folder = join(cluster.dataDir, 'node/kept');
  const file = join(folder, 'file');
  await mkdir(folder);
  await writeFile(file, 'kept');
  const immutable = (await run('chattr', ['+i', file])).code === 0;
  try {
    const first = await reset(cluster.dataDir, '--yes');
    if (immutable) {
      expect(first).toMatchObject({ code: 1, remaining: expect.arrayContaining([expect.objectContaining({ kind: 'file', name: cluster.dataDir, reason: expect.stringMatching(/./) })]) });
      expect(await readdir(folder)).toEqual(['file']);
    }
  } finally {
    await run('chattr', ['-i', file]);
  }
  expect(await reset(cluster.dataDir, '--yes')).toMatchObject({ code: 0, remaining: [] });
  await sameHost(before, cluster);
});

test('of two clusters side by side only one goes: the other one answers all the time, by its addresses and by its names', async () => {
  const stays = await startNative([], ['nginx']);
  let other: ExecutableCluster | undefined;
  const clients: OutsideClient[] = [];
  try {
    const stayed = ownHost(stays.dataDir);
    const web = await serve(stays, 'stays');
    expect(await resolve(web.dns, 'stays')).toEqual([web.clusterIP]);
    const before = await eventually(async () => {
      const [first, second] = [await hostSnapshot(stayed), await hostSnapshot(stayed)];
      return JSON.stringify(first) === JSON.stringify(second) && first;
    }, 'the host is at rest');
    const goes = (other = await startNative([], ['nginx']));
    const gone = await serve(goes, 'goes');
    expect(web.clusterIP.split('.').slice(0, 2)).not.toEqual(gone.clusterIP.split('.').slice(0, 2));
    expect(web.podIP.split('.').slice(0, 2)).not.toEqual(gone.podIP.split('.').slice(0, 2));
    expect(await resolve(web.dns, 'stays')).toEqual([web.clusterIP]);
    expect(await resolve(gone.dns, 'goes')).toEqual([gone.clusterIP]);
    expect(await resolve(web.dns, 'goes')).toEqual([]);
    expect(await resolve(gone.dns, 'stays')).toEqual([]);
    clients.push(...[web.clusterIP, web.podIP].map((address) => new OutsideClient(`http://${address}/`)));
    const { answered } = clients[0]!;
    expect(await reset(goes.dataDir, '--yes')).toMatchObject({ code: 0, remaining: [] });
    await rm(goes.dataDir, { recursive: true, force: true });
    expect(await resolve(web.dns, 'stays')).toEqual([web.clusterIP]);
    await eventually(() => Promise.resolve(clients[0]!.answered > answered + 5), 'requests go on');
    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    expect(await stays.kubectl('get pod web -o jsonpath={.status.containerStatuses[0].restartCount}')).toBe('0');
    await eventually(async () => expect(await hostSnapshot(stayed, ownHost(goes.dataDir))).toEqual(before) === undefined, 'the host is as before', 15_000);
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
    await other?.remove();
    await stays.remove();
  }
});

/** A web server behind a service. */
async function serve(cluster: ExecutableCluster, name: string): Promise<{ readonly clusterIP: string; readonly podIP: string; readonly dns: string }> {
  await cluster.kubectl('run web --image kube.test/nginx:1');
  await cluster.kubectl(`expose pod web --port 80 --name ${name}`);
  await cluster.kubectl('wait --for=condition=Ready pod/web --timeout=60s');
  const clusterIP = await cluster.kubectl(`get service ${name} -o jsonpath={.spec.clusterIP}`);
  await eventually(() => run('curl', ['-sf', '-o', '/dev/null', `http://${clusterIP}/`]).then(({ code }) => code === 0), 'the service answers');
  return { clusterIP, podIP: await cluster.kubectl('get pod web -o jsonpath={.status.podIP}'), dns: await cluster.kubectl('get service kube-dns -n kube-system -o jsonpath={.spec.clusterIP}') };
}

/** Addresses that a cluster's DNS gives for a service; none when it knows no such name. */
async function resolve(server: string, service: string): Promise<readonly string[]> {
  const resolver = new Resolver();
  resolver.setServers([server]);
  return resolver.resolve4(`${service}.default.svc.cluster.local`).catch((error: { readonly code?: string }) => (error.code === 'ENOTFOUND' ? [] : Promise.reject(error)));
}
