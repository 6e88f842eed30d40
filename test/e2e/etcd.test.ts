import { jest } from '@jest/globals';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSecureEtcd, type SecureEtcd } from '../harness/etcd-tls.js';
import { eventually, kube } from '../harness/executable.js';
import { schemaErrors } from '../harness/json-schema.js';
import { RawConnection } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';

jest.setTimeout(120_000);

const MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';

interface Answer {
  readonly status: number;
  readonly object: { readonly [field: string]: unknown; readonly metadata: { readonly name: string; readonly resourceVersion: string }; readonly message?: string };
}

let folder: string;
let secure: SecureEtcd;
let config: string;
const servers: ServerProcess[] = [];
const connections: RawConnection[] = [];

async function request(on: number, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await connections[on]!.request(method, path, body);
  return { status: answer.status, object: JSON.parse(answer.body.toString()) as Answer['object'] };
}

const copy = (...args: readonly string[]): ReturnType<typeof kube> => kube(['store', 'copy', '-o', 'json', ...args]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-e2e-etcd-'));
  secure = await startSecureEtcd();
  config = join(secure.folder, 'etcd.yaml');
  await writeFile(config, `servers: [https://localhost:1, ${secure.etcd.url}]\ncaFile: ca.crt\ncertFile: client.crt\nkeyFile: client.key\nuser: kube\npasswordFile: password\n`);
  const flags = ['--etcd-config', config];
  servers.push(startServerProcess({ dataDir: join(folder, 'a'), flags }));
  await servers[0]!.ready;
  await cp(join(folder, 'a/pki'), join(folder, 'b/pki'), { recursive: true });
  servers.push(startServerProcess({ dataDir: join(folder, 'b'), flags }));
  for (const server of servers) connections.push(await RawConnection.open(await server.ready));
});

afterAll(async () => {
  for (const connection of connections) connection.close();
  for (const server of servers) await server.stop();
  await secure.remove();
  await rm(folder, { recursive: true, force: true });
});

test('what one server has acknowledged the other one knows', async () => {
  for (let i = 0; i < 30; i++) {
    const [writer, reader] = [i % 2, (i + 1) % 2];
    const { object } = await request(writer, 'POST', MAPS, { metadata: { name: `m${i}` }, data: { a: '1' } });
    const read = await request(reader, 'GET', `${MAPS}/m${i}`);
    expect(read).toMatchObject({ status: 200, object: { metadata: { resourceVersion: object.metadata.resourceVersion } } });
    expect((await request(reader, 'GET', `${MAPS}?resourceVersion=${object.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`)).status).toBe(200);
    expect((await request(reader, 'POST', MAPS, { metadata: { name: `m${i}` } })).status).toBe(409);
    const changed = await request(reader, 'PUT', `${MAPS}/m${i}`, { ...object, data: { a: '2' } });
    expect(changed.status).toBe(200);
    // The writer's view may be behind: that must not show.
    expect(await request(writer, 'PUT', `${MAPS}/m${i}`, { ...object, data: { a: '3' } })).toMatchObject({ status: 409 });
    expect(await request(writer, 'PUT', `${MAPS}/m${i}`, { metadata: { name: `m${i}` }, data: { a: '4' } })).toMatchObject({ status: 200 });
    expect(await request(reader, 'DELETE', `${MAPS}/m${i}`)).toMatchObject({ status: 200 });
    expect((await request(writer, 'GET', `${MAPS}/m${i}`)).status).toBe(404);
    expect((await request(writer, 'DELETE', `${MAPS}/m${i}`)).status).toBe(404);
    const namespace = `n${i}`;
    expect((await request(writer, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } })).status).toBe(201);
    expect((await request(reader, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'in' } })).status).toBe(201);
  }
  const lists = await Promise.all([0, 1].map((on) => request(on, 'GET', MAPS)));
  expect(lists[0]!.object.metadata.resourceVersion).toBe(lists[1]!.object.metadata.resourceVersion);
});

test('a server with other keys is refused while others work, and starts with theirs', async () => {
  const dataDir = join(folder, 'foreign');
  const other = await kube(['server', '--data-dir', dataDir, '--secure-port', '0', '--etcd-config', config, '-o', 'json']);
  expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining('KUBE_STORE_IDENTITY') });
  const users = `process ${await servers[0]!.pid} on ${hostname()}, process ${await servers[1]!.pid} on ${hostname()}`;
  const names = JSON.parse(other.stdout).message as string;
  expect(users.split(', ').every((user) => names.includes(user))).toBe(true);
  expect(names).toContain(`copy pki/ of its data directory to ${join(dataDir, 'pki')}`);
  await cp(join(folder, 'a/pki'), join(dataDir, 'pki'), { recursive: true });
  const third = startServerProcess({ dataDir, flags: ['--etcd-config', config] });
  await third.ready;
  await third.stop();
});

test('no address and no port is given twice', async () => {
  const many = await Promise.all(servers.map(async (server) => {
    const target = await server.ready;
    return Promise.all(Array.from({ length: 4 }, () => RawConnection.open(target)));
  }));
  const made = await Promise.all(many.flat().map(async (connection, i) => {
    const found: { ip: string; port: number }[] = [];
    for (let j = 0; j < 6; j++) {
      const { status, body } = await connection.request('POST', SERVICES, { metadata: { name: `s${i}-${j}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
      expect([status, body.toString()]).toEqual([201, expect.anything()]);
      const { spec } = JSON.parse(body.toString()) as { readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] } };
      found.push({ ip: spec.clusterIP, port: spec.ports[0]!.nodePort });
    }
    connection.close();
    return found;
  }));
  const all = made.flat();
  expect(new Set(all.map(({ ip }) => ip)).size).toBe(48);
  expect(new Set(all.map(({ port }) => port)).size).toBe(48);
  const wanted = await Promise.all([0, 1].map((on) => request(on, 'POST', SERVICES, { metadata: { name: `same-${on}` }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 32555 }] } })));
  expect(wanted.map(({ status }) => status).sort()).toEqual([201, 422]);
});

test('custom resources that one server is told of are served by the other one', async () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } }, default: {} } } } };
  await request(0, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions: [{ name: 'v1', served: true, storage: true, schema }] },
  });
  const path = '/apis/example.com/v1/namespaces/default/widgets';
  await eventually(async () => (await connections[1]!.request('GET', path)).status === 200, 'the other server serves the kind', 3_000);
  expect((await request(1, 'POST', path, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } })).status).toBe(201);
  expect(await request(0, 'GET', `${path}/w`)).toMatchObject({ status: 200, object: { spec: { size: 3 } } });
});

test('a value too large for etcd is refused in upstream\'s words', async () => {
  const spec = { containers: [{ name: 'a', image: 'x', env: [{ name: 'A', value: 'x'.repeat(1_600_000) }] }] };
  expect(await request(0, 'POST', '/api/v1/namespaces/default/podtemplates', { metadata: { name: 'big' }, template: { metadata: { labels: { a: 'b' } }, spec } }))
    .toMatchObject({ status: 500, object: { kind: 'Status', message: 'etcdserver: request is too large', code: 500 } });
});

test('everything can be copied to a data directory and back, and is compared', async () => {
  const before = await request(0, 'GET', MAPS);
  const local = join(folder, 'local');
  const there = await copy('--from', `etcd:${config}`, '--to', local);
  expect(there).toMatchObject({ code: 0 });
  const lines = there.stdout.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const line of lines) expect(schemaErrors('store-copy', line)).toEqual([]);
  const told = lines.at(-1) as { readonly keys: number; readonly sha256: string };
  expect(told).toMatchObject({ event: 'copied', to: local });
  expect(told.keys).toBeGreaterThan(100);

  const refusals = await Promise.all([
    copy('--from', `etcd:${config}`, '--to', local),
    copy('--from', local, '--to', `etcd:${config}`),
    copy('--from', join(folder, 'none'), '--to', join(folder, 'other')),
  ]);
  expect(refusals.map(({ code, stdout }) => [code, (JSON.parse(stdout) as { readonly code: string }).code])).toEqual([[1, 'KUBE_STORE_NOT_EMPTY'], [1, 'KUBE_STORE_NOT_EMPTY'], [1, 'KUBE_STORE_MISSING']]);
  expect((await copy('--from', local)).code).toBe(2);

  await cp(join(folder, 'a/pki'), join(local, 'pki'), { recursive: true });
  const alone = startServerProcess({ dataDir: local });
  const connection = await RawConnection.open(await alone.ready);
  const maps = JSON.parse((await connection.request('GET', MAPS)).body.toString()) as { readonly items: readonly unknown[] };
  expect(maps.items).toHaveLength((before.object['items'] as readonly unknown[]).length);
  expect((await connection.request('GET', '/apis/example.com/v1/namespaces/default/widgets/w')).status).toBe(200);
  expect(await copy('--from', `etcd:${config}`, '--to', local, '--overwrite')).toMatchObject({ code: 1, stdout: expect.stringContaining('KUBE_ALREADY_RUNNING') });
  connection.close();
  await alone.stop();

  for (const server of servers) await server.stop();
  const environment = { ...process.env, KUBE_ETCD_USER: 'kube', KUBE_ETCD_PASSWORD: secure.password };
  const path = (name: string): string => join(secure.folder, name);
  const back = await kube(['store', 'copy', '--from', local, '--to', 'etcd', '--overwrite', '--etcd-servers', secure.etcd.url, '--etcd-cafile', path('ca.crt'), '--etcd-certfile', path('client.crt'), '--etcd-keyfile', path('client.key'), '-o', 'json'], { env: environment });
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('"event":"copied"') });
  // And once more to where a database is already.
  const again = await copy('--from', `etcd:${config}`, '--to', local, '--overwrite');
  const last = JSON.parse(again.stdout.trim().split('\n').at(-1)!) as { readonly sha256: string };
  expect(back.stdout).toContain(last.sha256);
});
