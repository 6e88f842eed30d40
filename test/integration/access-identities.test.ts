import { Agent, request } from 'node:https';
import { SystemClock } from '../../src/base/clock.js';
import { SystemRandom } from '../../src/base/random.js';
import { createCertificateAuthority, issueCertificate, type CertificatePair } from '../../src/base/tls/authority.js';
import { assembleParts } from '../../src/server/parts.js';
import { startTestServer, type TestServer } from './server/harness.js';

const environment = { clock: new SystemClock(), random: new SystemRandom() };
const front = createCertificateAuthority({ commonName: 'front-ca' }, environment);
const proxy = issueCertificate(front, { commonName: 'front-proxy', usages: ['client'] });
const stranger = issueCertificate(front, { commonName: 'somebody', usages: ['client'] });
const bob = { name: 'bob', uid: 'b1', groups: ['dev'], extra: {} };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(assembleParts, {
    requestHeader: { clientCa: front.certificate, allowedNames: ['front-proxy'], usernameHeaders: ['X-Remote-User', 'X-Other-User'], uidHeaders: ['X-Remote-Uid'], groupHeaders: ['X-Remote-Group'], extraHeadersPrefixes: ['X-Remote-Extra-'] },
    passwordUsers: new Map([['bob', { password: 'pa:ss', user: bob }]]),
    anonymousPaths: ['/healthz', '/livez'],
    authorizationModes: ['ABAC', 'RBAC'],
    abacPolicies: [
      { user: 'bob', group: '', readonly: true, apiGroup: '*', resource: '*', namespace: 'team', nonResourcePath: '' },
      { user: '', group: 'system:unauthenticated', readonly: false, apiGroup: '', resource: '', namespace: '', nonResourcePath: '*' },
    ],
  });
  await server.server.ready;
});
afterAll(() => server.stop());

type Headers = Readonly<Record<string, string | readonly string[]>>;

function send(method: string, path: string, headers: Headers, pair?: CertificatePair, body?: unknown, agent: Agent | false = false): Promise<{ code: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const call = request({
      host: '127.0.0.1', port: server.server.address.port, method, path, agent, rejectUnauthorized: false, headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(headers as Record<string, string | string[]>) },
      ...(pair ? { cert: pair.certificate, key: pair.key } : {}),
    }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ code: response.statusCode ?? 0, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> });
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Who the server takes the sender for; the code where it takes it for nobody. */
async function who(headers: Headers, pair?: CertificatePair, agent?: Agent): Promise<unknown> {
  const { code, body } = await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', headers, pair, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }, agent);
  return code === 201 ? (body['status'] as { userInfo: unknown }).userInfo : code;
}

const basic = (text: string): Headers => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test('a proxy in front names the user, whoever else does not', async () => {
  expect(await who({ 'X-Remote-User': 'jane', 'X-Remote-Group': ['g1', 'g2, x', ''], 'X-Remote-Uid': '7', 'X-Remote-Extra-Scopes': ['a', 'b'], 'x-remote-extra-acme.com%2Fproject': 'p', 'X-Remote-Extra-bad%zz': 'q' }, proxy)).toEqual({
    username: 'jane', uid: '7', groups: ['g1', 'g2, x', 'system:authenticated'], extra: { scopes: ['a', 'b'], 'acme.com/project': ['p'], 'bad%zz': ['q'] },
  });
  expect(await who({ 'X-Other-User': 'max' }, proxy)).toEqual({ username: 'max', groups: ['system:authenticated'] });
  expect(await who({ 'X-Remote-User': '', 'X-Remote-Group': 'system:masters' }, proxy)).toBe(401);
  expect(await who({ 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' }, stranger)).toBe(401);
  expect(await who({ 'X-Remote-User': 'root' })).toBe(401);
  expect(await who({ 'X-Remote-User': 'root', ...basic('bob:pa:ss') })).toMatchObject({ username: 'bob' });
  expect(await who({ 'X-Remote-User': 'root', 'X-Remote-Group': 'other' }, server.admin)).toMatchObject({ username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] });
});

test('several users come over one connection of a proxy', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const names: unknown[] = [];
  for (const name of ['a', 'b', 'a']) names.push(await who({ 'X-Remote-User': name }, proxy, agent));
  agent.destroy();
  expect(names).toEqual(['a', 'b', 'a'].map((username) => ({ username, groups: ['system:authenticated'] })));
});

test('passwords', async () => {
  expect(await who(basic('bob:pa:ss'))).toEqual({ username: 'bob', uid: 'b1', groups: ['dev', 'system:authenticated'] });
  for (const wrong of ['bob:pass', 'bob:', 'eve:pa:ss', ':', 'bob']) expect(await who(basic(wrong))).toBe(401);
});

test('who has no proof is let in on the paths that are named', async () => {
  expect((await send('GET', '/healthz', {})).code).toBe(200);
  expect((await send('GET', '/livez?verbose', {})).code).toBe(200);
  for (const path of ['/readyz', '/healthz/', '/healthz/ping', '/version', '/api/v1/namespaces/team/pods']) expect((await send('GET', path, {})).code).toBe(401);
  expect((await send('GET', '/healthz', { authorization: 'Bearer wrong' })).code).toBe(401);
});

test('policies allow what they say, before roles do', async () => {
  const as = basic('bob:pa:ss');
  expect((await send('GET', '/api/v1/namespaces/team/pods', as)).code).toBe(200);
  expect((await send('GET', '/api/v1/namespaces/other/pods', as)).body).toMatchObject({ code: 403, message: 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "other": No policy matched.' });
  expect((await send('POST', '/api/v1/namespaces/team/configmaps', as, undefined, { metadata: { name: 'x' } })).code).toBe(403);
  expect((await send('GET', '/api', as)).code).toBe(200);
  const { body } = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', as, undefined, { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'team' } });
  expect((body['status'] as { resourceRules: unknown[] }).resourceRules[0]).toEqual({ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] });
});

test('extension servers learn about it', async () => {
  const { body } = await server.send('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  expect(body['data']).toEqual({
    'client-ca-file': server.ca, 'requestheader-client-ca-file': front.certificate, 'requestheader-allowed-names': '["front-proxy"]', 'requestheader-username-headers': '["X-Remote-User","X-Other-User"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]', 'requestheader-group-headers': '["X-Remote-Group"]', 'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
});
