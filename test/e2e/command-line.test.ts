import { jest } from '@jest/globals';
import { chown, mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kube, startExecutable, type ExecutableCluster } from '../harness/executable.js';
import { schemaErrors } from '../harness/json-schema.js';

jest.setTimeout(120_000);

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('a cluster in the background', () => {
  let cluster: ExecutableCluster;

  beforeAll(async () => {
    cluster = await startExecutable();
  });
  afterAll(() => cluster.remove());

  test('the ready line says everything a script needs', () => {
    expect(cluster.ready).toEqual({
      event: 'ready', pid: expect.any(Number), server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/), kubeconfig: join(cluster.dataDir, 'kubeconfig'), dataDir: cluster.dataDir,
      nodes: ['node-1'], containerRuntime: 'sim', version: expect.any(String), startupMilliseconds: expect.any(Number),
    });
  });

  test('every answer in JSON fits its published schema', async () => {
    const answer = async (...args: string[]): Promise<unknown> => json((await kube([...args, '--data-dir', cluster.dataDir, '-o', 'json'])).stdout);
    expect(schemaErrors('ready', cluster.ready)).toEqual([]);
    expect(schemaErrors('status', await answer('status'))).toEqual([]);
    expect(schemaErrors('version', await answer('version'))).toEqual([]);
    expect(schemaErrors('reset', await answer('reset', '--dry-run'))).toEqual([]);
    expect(schemaErrors('error', await answer('run', 'all', '--secure-port', '0'))).toEqual([]);
    expect(schemaErrors('stop', json((await kube(['stop', '--data-dir', join(cluster.dataDir, 'none'), '-o', 'json'])).stdout))).toEqual([]);
    expect(schemaErrors('status', { state: 'odd' })).not.toEqual([]);
  });

  test('status tells components and nodes', async () => {
    const { code, stdout } = await kube(['status', '--data-dir', cluster.dataDir, '-o', 'json']);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({
      state: 'running', pid: cluster.ready.pid, server: cluster.ready.server,
      components: expect.arrayContaining(['server', 'scheduler', 'controllers', 'node'].map((name) => ({ name, state: 'running' }))),
      nodes: [{ name: 'node-1', ready: true }],
    });
  });

  test('the kubeconfig has the context kube and is private', async () => {
    const { stdout } = await kube(['kubeconfig', '--data-dir', cluster.dataDir]);
    expect(stdout).toContain('current-context: kube');
    expect((await stat(join(cluster.dataDir, 'kubeconfig'))).mode & 0o077).toBe(0);
    expect((await stat(join(cluster.dataDir, 'pki/ca.key'))).mode & 0o077).toBe(0);
  });

  test('an existing kubeconfig is merged into, never overwritten', async () => {
    const file = join(cluster.dataDir, 'mine');
    await writeFile(file, 'apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters: [{name: other, cluster: {server: "https://other"}}]\nusers: [{name: other, user: {token: t}}]\ncontexts: [{name: other, context: {cluster: other, user: other}}]\n');
    expect((await kube(['kubeconfig', '--data-dir', cluster.dataDir, '--kubeconfig', file])).code).toBe(0);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('https://other');
    expect(text).toContain(cluster.ready.server);
    expect(text).toContain('current-context: kube');
  });

  test('a second start on the same folder, and a copy of it, is one clear line', async () => {
    const { code, stderr, stdout } = await kube(['run', 'all', '--data-dir', cluster.dataDir, '--secure-port', '0', '-o', 'json']);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('already');
    expect(json(stdout)).toMatchObject({ event: 'error', code: 'KUBE_ALREADY_RUNNING' });
    const copied = await kube(['store', 'copy', '--from', cluster.dataDir, '--to', join(cluster.dataDir, 'copy')]);
    expect(copied).toEqual({ code: 1, stdout: '', stderr: `kube: a cluster runs in ${cluster.dataDir} (pid ${cluster.ready.pid}): stop it with "kube stop --data-dir ${cluster.dataDir}" before its database is copied: it can be read by one process at a time\n` });
  });

  test('stop is idempotent, and the same folder brings everything back', async () => {
    await cluster.kubectl('create configmap kept --from-literal=a=b');
    await cluster.stop();
    await cluster.stop();
    expect(json((await kube(['status', '--data-dir', cluster.dataDir, '-o', 'json'])).stdout)).toMatchObject({ state: 'stopped', pid: null });
    await cluster.start();
    expect(await cluster.kubectl('get configmap kept -o jsonpath={.data.a}')).toBe('b');
  });
});

test('a port in use is one clear line and leaves nothing running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  for (const detach of [[], ['--detach']]) {
    const { code, stderr } = await kube(['run', 'all', '--data-dir', dataDir, '--secure-port', String(port), ...detach]);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toContain(`${port}: the port is in use`);
    expect(json((await kube(['status', '--data-dir', dataDir, '-o', 'json'])).stdout)).toMatchObject({ state: 'stopped' });
  }
  server.close();
  await rm(dataDir, { recursive: true });
});

test.each([
  [['wrong'], 'Unknown'],
  [['run', 'all', '--wrong'], 'Unknown argument'],
  [['run', 'all', '--secure-port', '70000'], 'not a whole number from 0 to 65535'],
  [['run', 'all', '--secure-port', 'x'], 'not a whole number'],
  [['run', 'all', '--bind-address', 'nowhere'], 'not an IP address'],
  [['run', 'all', '--service-cluster-ip-range', '10.0.0.1/16'], 'bits set behind its prefix'],
  [['run', 'all', '--service-node-port-range', '5-1'], 'not a range of ports'],
  [['run', 'all', '--authorization-mode', 'RBAC,Magic'], 'not one of'],
  [['run', 'all', '--event-ttl', 'soon'], 'not a duration'],
  [['run', 'all', '--container-runtime', 'native', '--simulated-nodes', '2'], 'does not go with'],
  [['run', 'all', '--cluster-domain', 'Not_A_Domain'], 'is not a domain name'],
  [['image'], 'a word is missing after image'],
  [['image', 'pull'], 'IMAGE is missing; see kube image pull --help'],
  [['node', 'list', '--config', 'x'], 'Unknown argument: config'],
  [['image', 'steal', 'x'], 'Unknown command: image steal'],
  [['run', 'all', '--output', 'xml'], 'is not one of text, json'],
  [['run', 'all', '--config', '/nonexistent'], 'cannot read the configuration file'],
  [['reset', '--data-dir', '/tmp/kube-nothing-here'], '--yes'],
])('wrong usage ends with code 2: %j', async (args, text) => {
  const { code, stdout, stderr } = await kube(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(text);
});

test('a configuration file is checked as a whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  const file = join(folder, 'config.yaml');
  await writeFile(file, 'securePort: many\nwrong: 1\nserver:\n  bindAddress: 5\n');
  const { code, stderr } = await kube(['run', 'all', '--config', file]);
  expect(code).toBe(2);
  for (const text of ['securePort', 'wrong is not a setting', 'server.bindAddress']) expect(stderr).toContain(text);
  await rm(folder, { recursive: true });
});

test('an unwritable data directory is one clear line', async () => {
  const { code, stderr } = await kube(['run', 'all', '--data-dir', '/proc/kube', '--secure-port', '0']);
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain('cannot use the data directory /proc/kube');
});

test('reset removes a cluster and its contexts, and nothing else', async () => {
  const cluster = await startExecutable();
  const dry = json((await kube(['reset', '--data-dir', cluster.dataDir, '--dry-run', '-o', 'json'])).stdout);
  expect(dry).toMatchObject({ dryRun: true, removed: expect.arrayContaining([{ kind: 'process', name: String(cluster.ready.pid) }, { kind: 'file', name: cluster.dataDir }]) });
  expect(json((await kube(['status', '--data-dir', cluster.dataDir, '-o', 'json'])).stdout)).toMatchObject({ state: 'running' });
  const { code, stdout } = await kube(['reset', '--data-dir', cluster.dataDir, '--yes', '-o', 'json']);
  expect(code).toBe(0);
  expect(json(stdout)).toMatchObject({ dryRun: false, remaining: [] });
  await expect(stat(cluster.dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await kube(['reset', '--data-dir', cluster.dataDir, '--yes', '-o', 'json'])).code).toBe(0);

  const other = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  await writeFile(join(other, 'precious'), '');
  const refused = await kube(['reset', '--data-dir', other, '--yes']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('does not look like a data directory');
  await rm(other, { recursive: true });
});

// Root's folder of native clusters is closed to everybody else.
(process.getuid?.() === 0 ? test : test.skip)('who is not root is told why pods are simulated, and resets the cluster where root has native ones', async () => {
  const nobody = 65534;
  await mkdir('/run/kube', { recursive: true, mode: 0o700 });
  const home = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  await chown(home, nobody, nobody);
  const dataDir = join(home, 'cluster');
  const asNobody = (...args: string[]): ReturnType<typeof kube> => kube([...args, '--data-dir', dataDir], { uid: nobody, gid: nobody, cwd: '/', env: { PATH: process.env['PATH'], HOME: home } });
  expect(await asNobody('run', 'all', '--detach', '--secure-port', '0')).toMatchObject({ code: 0, stderr: 'pods are simulated: native containers need root\n' });
  expect(await asNobody('reset', '--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining(`would remove folder ${dataDir}`) });
  expect(await asNobody('reset', '--yes')).toMatchObject({ code: 0, stderr: '' });
  await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  await rm(home, { recursive: true });
  await rmdir('/run/kube').catch(() => undefined);
});

test('the roles run as separate processes that meet at the API', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  const { spawn } = await import('node:child_process');
  const children: { kill(signal: NodeJS.Signals): boolean; exited: Promise<number> }[] = [];
  const role = (args: readonly string[]): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/kube'), ...args, '--data-dir', dataDir, '-o', 'json'], { stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      child.stdout.once('data', (chunk) => resolve(json(String(chunk))));
      const exited = new Promise<number>((done) => child.once('exit', (code) => {
        done(code ?? -1);
        reject(new Error(`${args[0]} ended: ${stderr}`));
      }));
      children.push({ kill: (signal) => child.kill(signal), exited });
    });
  try {
    const server = await role(['server', '--secure-port', '0']);
    expect(server).toMatchObject({ event: 'ready', component: 'server' });
    await Promise.all([role(['controllers']), role(['scheduler']), role(['node', '--node-name', 'alone'])]);
    const { run, eventually } = await import('../harness/executable.js');
    const kubectl = async (...args: string[]): Promise<string> => (await run(join(import.meta.dirname, '../../.cache/tools/v35/kubectl'), ['--kubeconfig', String(server['kubeconfig']), ...args], { env: { ...process.env, HOME: dataDir } })).stdout;
    await kubectl('create', 'deployment', 'web', '--image=nginx', '--replicas=2');
    await eventually(async () => (await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.status.availableReplicas}')) === '2', 'two available replicas');
    expect(await kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}')).toBe('alone alone');

    const answer = async (...args: string[]): Promise<Record<string, unknown>> => json((await kube([...args, '--data-dir', dataDir, '-o', 'json'])).stdout);
    const status = await answer('status');
    expect(schemaErrors('status', status)).toEqual([]);
    const alone = ['controllers', 'node', 'scheduler'];
    expect(status['components']).toEqual([{ name: 'server', state: 'running' }, ...alone.map((name) => ({ name, state: 'running', pid: expect.any(Number) }))]);
    const stopped = await answer('stop');
    expect(schemaErrors('stop', stopped)).toEqual([]);
    expect(stopped).toMatchObject({ pid: server['pid'], roles: alone.map((name) => ({ name })) });
    expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);

    const again = await role(['server', '--secure-port', '0']);
    const scheduler = await role(['scheduler']);
    children.at(-2)!.kill('SIGKILL');
    await children.at(-2)!.exited;
    expect((await kube(['status', '--data-dir', dataDir])).stdout).toContain(`without a server: scheduler (pid ${scheduler['pid']})`);
    expect(await answer('reset', '--yes')).toMatchObject({ removed: expect.arrayContaining([{ kind: 'process', name: String(scheduler['pid']) }]), remaining: [] });
    expect(again['pid']).not.toBe(server['pid']);
    expect(await children.at(-1)!.exited).toBe(0);
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM');
      await child.exited;
    }
    await rm(dataDir, { recursive: true, force: true });
  }
});
