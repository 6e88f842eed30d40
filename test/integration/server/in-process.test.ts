import { createClient } from '../../../src/client/index.js';
import { CONFIG_MAPS, DEPLOYMENTS } from '../../../src/api/resource-refs.js';
import { StatusError } from '../../../src/api/status-error.js';
import { openParts, startTestServer, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const USER = { name: 'role', uid: '', groups: ['system:masters'], extra: {} };

test('a client in the process reads and writes the same objects as HTTP', async () => {
  const client = createClient(t.server.transport(USER, 'test')).resource(CONFIG_MAPS);
  const mine = { metadata: { name: 'in', namespace: 'default' }, data: { a: '1' } };
  const made = await client.create(mine);
  expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'in', uid: expect.any(String) as string } });
  // What was given is copied: the caller may go on with it.
  mine.data.a = '2';
  expect((await t.send('GET', '/api/v1/namespaces/default/configmaps/in')).body).toMatchObject({ data: { a: '1' } });
  expect(Object.isFrozen(made) && Object.isFrozen(made.data)).toBe(true);
  expect(await client.get('default', 'in')).toBe(await client.get('default', 'in'));
  const patched = await client.patch('default', 'in', 'merge', { data: { b: '2' } });
  expect(patched.data).toEqual({ a: '1', b: '2' });
  expect((await client.list('default')).items.map((item) => item.metadata?.name)).toContain('in');
  await client.delete('default', 'in');
  const gone = await client.get('default', 'in').catch((error: unknown) => error);
  expect(StatusError.is(gone, 'NotFound')).toBe(true);
});

test('watches hand out the objects, and end when they are told to', async () => {
  const client = createClient(t.server.transport(USER, 'test')).resource(DEPLOYMENTS);
  const abort = new AbortController();
  const watch = await client.watch('default', { signal: abort.signal });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const batch of watch) for (const { type, object } of batch) seen.push(`${type} ${object.metadata?.name}`);
  })();
  for (const name of ['x', 'y']) {
    await client.create({
      metadata: { name, namespace: 'default' },
      spec: { selector: { matchLabels: { a: name } }, template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
    });
  }
  await client.delete('default', 'x');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await reading;
  expect(seen).toEqual(['ADDED x', 'ADDED y', 'DELETED x']);
});

test('authorization and admission apply to our own roles too', async () => {
  const other = await startTestServer(openParts({
    authorizers: [{ name: 'some', authorize: ({ verb }) => (verb === 'create' ? { decision: 'allow', reason: '' } : { decision: 'deny', reason: 'no' }) }],
    admission: [{ name: 'label', handles: (operation) => operation === 'CREATE', admit: ({ object }) => { object!.metadata = { ...object!.metadata, labels: { admitted: 'yes' } }; } }],
  }));
  const client = createClient(other.server.transport(USER, 'test')).resource(CONFIG_MAPS);
  expect((await client.create({ metadata: { name: 'a', namespace: 'default' } })).metadata?.labels).toEqual({ admitted: 'yes' });
  await expect(client.get('default', 'a')).rejects.toMatchObject({ code: 403 });
  await other.stop();
});

test('ten thousand requests in a row leave time for others', async () => {
  const client = createClient(t.server.transport(USER, 'test')).resource(CONFIG_MAPS);
  await client.create({ metadata: { name: 'busy', namespace: 'default' } });
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  for (let i = 0; i < 10_000; i++) await client.get('default', 'busy');
  running = false;
  expect(turns).toBeGreaterThan(2);
});

test('a stopped server refuses', async () => {
  const other = await startTestServer();
  const transport = other.server.transport(USER, 'test');
  await other.stop();
  await expect(transport.request({ method: 'GET', path: '/api/v1/pods' })).rejects.toMatchObject({ code: 503 });
});
