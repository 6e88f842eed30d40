import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { openParts, startTestServer, type TestServer } from './harness.js';
import type { UserInfo } from '../../../src/server/index.js';

const maps = '/api/v1/namespaces/default/configmaps';
let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

test('HTTP/2 on the same port', async () => {
  const session = connectHttp2(`https://127.0.0.1:${t.server.address.port}`, { ca: t.ca, servername: 'localhost' });
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': maps, 'content-type': 'application/json' });
    let text = '';
    let status = 0;
    stream.on('response', (headers) => (status = Number(headers[':status'])));
    stream.on('data', (chunk) => (text += String(chunk)));
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
    stream.end(JSON.stringify({ metadata: { name: 'h2' } }));
  });
  session.close();
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.text)).toMatchObject({ metadata: { name: 'h2' } });
});

test('unknown and duplicate fields are refused, warned about or ignored', async () => {
  const body = '{"metadata":{"name":"fv"},"foo":1,"data":{"a":"1","a":"2"}}';
  const strict = await t.send('POST', `${maps}?fieldValidation=Strict`, { body });
  expect(strict.body).toMatchObject({ code: 400, message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo", duplicate field "data.a"' });
  const ignored = await t.send('POST', `${maps}?fieldValidation=Ignore&dryRun=All`, { body });
  expect(ignored.headers['warning']).toBeUndefined();
  const warned = await t.send('POST', maps, { body });
  expect(warned.code).toBe(201);
  expect(warned.headers['warning']).toBe('299 - "unknown field \\"foo\\"", 299 - "duplicate field \\"data.a\\""');
  const wrong = await t.send('POST', `${maps}?fieldValidation=Sometimes`, { body });
  expect(wrong.body).toMatchObject({ code: 422, reason: 'Invalid', details: { group: 'meta.k8s.io', kind: 'CreateOptions' } });
});

test.each(([
  ['{', 400], ['', 400], ['[]', 400], ['"x"', 400], ['null', 422], ['{"metadata":[]}', 400], ['{"metadata":{"name":5}}', 400], ['{"data":{"a":1}}', 400],
  ['{"metadata":{"name":"a/b"}}', 422], ['{"metadata":{"name":"UPPER"}}', 422], ['['.repeat(5000), 400], [`{"data":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`, 400],
  ['\u0000', 400], ['{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}', 400], ['{"kind":5}', 400], ['{"apiVersion":"a/b/c"}', 400], ['{"__proto__":{"x":1},"metadata":{"name":"proto"}}', 201],
] as const).map(([body, code]) => ({ body: String(body), code: Number(code), shown: String(body).slice(0, 40) })))('a body of $shown is answered with $code', async ({ body, code }) => {
  const answer = await t.send('POST', maps, { body });
  expect(answer.code).toBe(code);
  expect(answer.body['kind']).toBe(code === 201 ? 'ConfigMap' : 'Status');
});

test('YAML bodies, other media types, and bodies that are too big', async () => {
  expect((await t.send('POST', maps, { body: 'metadata: {name: yaml}\ndata: {a: "1"}\n', headers: { 'content-type': 'application/yaml' } })).body).toMatchObject({ data: { a: '1' } });
  expect((await t.send('POST', maps, { body: 'x', headers: { 'content-type': 'text/plain' } })).body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  const big = await t.send('POST', maps, { body: `"${'x'.repeat(3 * 1024 * 1024)}"` });
  expect(big.body).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' });
});

test('garbage on the port does no harm', async () => {
  for (const bytes of ['GET / HTTP/9.9\r\n\r\n', '\u0000\u0001\u0002', 'POST /api/v1/namespaces HTTP/1.1\r\nContent-Length: abc\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrubbish rubbish']) {
    await new Promise<void>((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', port: t.server.address.port, ca: t.ca, servername: 'localhost' }, () => socket.write(bytes));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.on('data', () => socket.destroy());
      socket.setTimeout(500, () => socket.destroy());
    });
  }
  expect((await t.send('GET', '/healthz')).text).toBe('ok');
});

test('who asks for another protocol where there is none is answered in HTTP, with heed to the body', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'other' };
  expect((await t.send('POST', maps, { headers, body: '{"metadata":{"name":"upgrade"}}' })).code).toBe(201);
  expect((await t.send('DELETE', `${maps}/upgrade`, { headers, body: '{"dryRun":["All"]}' })).code).toBe(200);
  expect((await t.send('GET', `${maps}/upgrade`)).code).toBe(200);
  const pieces = (...parts: string[]): Promise<string> => new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port: t.server.address.port, ca: t.ca, servername: 'localhost' }, () => parts.forEach((part, i) => setTimeout(() => socket.write(part), i * 50)));
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('close', () => resolve(text));
  });
  const head = `DELETE ${maps}/upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\nContent-Type: application/json\r\n`;
  expect(await pieces(`${head}Content-Length: 18\r\n\r\n{"dry`, 'Run":["', 'All"]}')).toMatch(/^HTTP\/1.1 200 /);
  expect(await pieces(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  expect(await pieces(`${head}Content-Length: 4000000\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 /);
  expect((await t.send('GET', `${maps}/upgrade`)).code).toBe(200);
});

test('health, version, metrics and the list of paths', async () => {
  expect((await t.send('GET', '/readyz?verbose')).text).toMatch(/^\[\+\]ping ok\n[\s\S]*readyz check passed\n$/);
  expect((await t.send('GET', '/livez?verbose&exclude=etcd')).text).toContain('[+]etcd excluded: ok\n');
  expect((await t.send('GET', '/livez/etcd')).text).toBe('ok');
  expect((await t.send('GET', '/livez/nothing')).code).toBe(404);
  expect((await t.send('GET', '/version')).body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\.\d+-kube/) as string });
  await t.send('GET', `${maps}/none`);
  const metrics = (await t.send('GET', '/metrics')).text;
  expect(metrics).toMatch(/apiserver_request_total\{verb="GET",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",dry_run="",code="404"\} \d+/);
  expect(metrics).toContain('apiserver_request_duration_seconds_bucket{le="0.005"');
  expect((await t.send('GET', '/')).body['paths']).toEqual(expect.arrayContaining(['/api', '/apis/apps/v1', '/healthz', '/livez/ping', '/metrics', '/version']));
  expect((await t.send('GET', '/nothing/here')).text).toBe('404 page not found\n');
});

test('methods and versions that are not there', async () => {
  const answers = async (method: string, path: string): Promise<string> => {
    const { code, text, body } = await t.send(method, path);
    return `${code} ${method === 'HEAD' ? text : ((body?.['reason'] ?? body?.['kind']) as string | undefined) ?? text.slice(0, 20)}`;
  };
  const cases: [method: string, path: string, answer: string][] = [
    ['POST', '/apis/none.example/v1/namespaces/default/things', '404 404 page not found\n'], ['DELETE', '/apis/none.example', '404 404 page not found\n'],
    ['POST', '/apis/apps/v7/namespaces/default/deployments', '404 NotFound'], ['GET', '/apis/apps/v7', '404 NotFound'], ['PUT', '/api/v2', '404 NotFound'],
    ['POST', '/api', '405 MethodNotAllowed'], ['DELETE', '/api/v1', '405 MethodNotAllowed'], ['POST', '/apis/apps/v1', '405 MethodNotAllowed'], ['HEAD', '/api/v1', '405 '],
    ['POST', '/version', '405 MethodNotAllowed'], ['PUT', '/openid/v1/jwks', '405 MethodNotAllowed'],
    ['POST', '/apis', '200 APIGroupList'], ['POST', '/apis/apps', '200 APIGroup'], ['HEAD', '/apis', '200 '], ['POST', '/livez', '200 ok'], ['GET', '/livez/', '404 404 page not found\n'],
  ];
  const found = await Promise.all(cases.map(async ([method, path]) => [method, path, await answers(method, path)]));
  expect(found).toEqual(cases);
});

test('a hook that has not finished keeps readyz red, and is tried again', async () => {
  let tries = 0;
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const other = await startTestServer(openParts({
    postStart: [{ name: 'slow/hook', run: async () => { if (tries++ === 0) throw new Error('not yet'); await done; } }],
  }));
  const red = await other.send('GET', '/readyz');
  expect([red.code, red.text]).toEqual([500, expect.stringContaining('[-]poststarthook/slow/hook failed: reason withheld') as string]);
  finish();
  await other.server.ready;
  expect(tries).toBe(2);
  expect((await other.send('GET', '/readyz')).code).toBe(200);
  await other.stop();
});

test('who may do what: 401, 403, and acting for others', async () => {
  const users: Record<string, UserInfo> = {
    admin: { name: 'admin', uid: '', groups: ['system:masters'], extra: {} },
    bob: { name: 'bob', uid: '', groups: [], extra: {} },
  };
  const other = await startTestServer(openParts({
    authenticators: [{ name: 'token', authenticate: ({ headers }) => users[String(headers['authorization']).replace('Bearer ', '')] }],
    authorizers: [{ name: 'masters', authorize: ({ user, verb, name }) => (user.groups.includes('system:masters') || (verb === 'impersonate' && name === 'carol') ? { decision: 'allow', reason: '' } : { decision: 'no-opinion', reason: '' }) }],
  }));
  const as = (token: string, more: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } });
  expect((await other.send('GET', maps, as('nobody'))).body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 });
  expect((await other.send('GET', maps, as('bob'))).body).toMatchObject({ code: 403, message: 'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"' });
  expect((await other.send('GET', maps, as('admin'))).code).toBe(200);
  expect((await other.send('GET', maps, as('admin', { 'impersonate-user': 'bob' }))).body).toMatchObject({ code: 403, message: expect.stringContaining('User "bob" cannot list') as string });
  expect((await other.send('GET', maps, as('bob', { 'impersonate-user': 'admin' }))).body).toMatchObject({ code: 403, message: 'configmaps is forbidden: User "bob" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"' });
  expect((await other.send('GET', maps, as('bob', { 'impersonate-user': 'carol', 'impersonate-group': 'system:masters' }))).body).toMatchObject({ code: 403, message: expect.stringContaining('cannot impersonate-on:user-info:list resource "configmaps"') as string });
  expect((await other.send('GET', maps, as('admin', { 'impersonate-group': 'x' }))).code).toBe(400);
  await other.stop();
});

test('long selectors', async () => {
  const selector = Array.from({ length: 3000 }, (_, i) => `value-${i}`).join(',');
  expect((await t.send('GET', `${maps}?labelSelector=${encodeURIComponent(`a in (${selector})`)}`)).code).toBe(200);
});

test('a request that takes too long is ended, and its late answer dropped', async () => {
  const other = await startTestServer(
    openParts({ handlers: [{ path: '/bindings', verbs: ['create'], handle: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ type: 'object', code: 201, object: {} }))) }] }),
    { requestTimeoutMilliseconds: 100 },
  );
  const answer = await other.send('POST', '/api/v1/namespaces/default/bindings', { body: {} });
  expect(answer.body).toMatchObject({ code: 504, reason: 'Timeout', message: 'Timeout: request did not complete within the allotted timeout' });
  expect((await other.send('GET', maps)).code).toBe(200);
  await other.stop();
});
