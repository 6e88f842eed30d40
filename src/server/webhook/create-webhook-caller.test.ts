import { jest } from '@jest/globals';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { createCertificateAuthority, issueCertificate } from '../../base/tls/authority.js';
import { SystemClock } from '../../base/clock.js';
import { SeededRandom, SystemRandom } from '../../base/random.js';
import { ENDPOINT_SLICES, SERVICES } from '../../api/resource-refs.js';
import { FakeView } from '../testing/fake-view.js';
import { createWebhookCaller } from './create-webhook-caller.js';
import { loadWebhookKubeconfig } from './load-kubeconfig.js';
import { kubeconfigCredentials } from './webhook-credentials.js';

const clock = new SystemClock();
const authority = createCertificateAuthority({ commonName: 'webhooks' }, { clock, random: new SystemRandom() });
const stranger = createCertificateAuthority({ commonName: 'stranger' }, { clock, random: new SystemRandom() });
const pair = issueCertificate(authority, { commonName: 'hook', usages: ['server'], dnsNames: ['hook.ns.svc', 'localhost'], ipAddresses: ['127.0.0.1'] });
const bundle = (pem: string): string => Buffer.from(pem).toString('base64');
const caBundle = bundle(authority.certificate);

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
let handler: Handler;
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handler(request, response, body));
  });
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const view = new FakeView();
const caller = createWebhookCaller({ view, clock, random: new SeededRandom() });
const options = { timeoutMilliseconds: 10_000 };
const answer = (code: number, text: string, type = 'application/json'): Handler => (_request, response) => void response.writeHead(code, { 'content-type': type }).end(text);

test('a review is posted and the answer parsed; the connection is kept', async () => {
  const seen: [string | undefined, string | undefined, string | undefined, string][] = [];
  handler = (request, response, body) => {
    seen.push([request.url, request.headers.host, request.headers['user-agent'], body]);
    answer(200, '{"a":1}')(request, response, body);
  };
  const config = { url: `https://127.0.0.1:${port}/x/`, caBundle };
  const before = connections;
  expect(await caller.call(config, { kind: 'R' }, options)).toEqual({ a: 1 });
  expect(await caller.call(config, { kind: 'R' }, { timeoutMilliseconds: 61_500 })).toEqual({ a: 1 });
  expect(seen).toEqual([
    ['/x?timeout=10s', `127.0.0.1:${port}`, 'kube-apiserver-admission', '{"kind":"R"}'],
    ['/x?timeout=1m2s', `127.0.0.1:${port}`, 'kube-apiserver-admission', '{"kind":"R"}'],
  ]);
  expect(connections).toBe(before + 1);
});

test('a kept connection that the webhook has closed is not held against the call', async () => {
  handler = answer(200, '{}');
  const config = { url: `https://127.0.0.1:${port}`, caBundle };
  await caller.call(config, {}, options);
  server.closeAllConnections();
  await expect(caller.call(config, {}, options)).resolves.toEqual({});
});

test('one closed connection is enough to take a new one: others may be no better', async () => {
  const config = { url: `https://127.0.0.1:${port}`, caBundle };
  handler = (_request, response) => void setTimeout(() => response.end('{}'), 50);
  await Promise.all(Array.from({ length: 8 }, () => caller.call(config, {}, options)));
  const known = new Set<unknown>();
  // Whoever was connected before hangs up instead of answering.
  server.on('secureConnection', (socket) => known.add(socket));
  handler = (request, response) => void (known.has(request.socket) ? response.end('{}') : request.socket.destroy());
  await expect(caller.call(config, {}, options)).resolves.toEqual({});
});

test('a service is called at a ready endpoint under its own name', async () => {
  const config = { service: { namespace: 'ns', name: 'hook', path: '/mutate' }, caBundle };
  const call = (): Promise<unknown> => caller.call(config, {}, options);
  const text = (why: string): string => `Post "https://hook.ns.svc:443/mutate?timeout=10s": ${why}`;
  await expect(call()).rejects.toMatchObject({ name: 'WebhookCallError', message: text('service "hook" not found'), code: 503 });
  view.put(SERVICES, { metadata: { namespace: 'ns', name: 'hook' }, spec: { type: 'ClusterIP', ports: [{ name: 'h', port: 444 }], ipFamilies: ['IPv4'] } });
  await expect(call()).rejects.toThrow(text('no service port 443 found for service "hook"'));
  view.put(SERVICES, { metadata: { namespace: 'ns', name: 'hook' }, spec: { type: 'ClusterIP', ports: [{ name: 'h', port: 443 }], ipFamilies: ['IPv4'] } });
  await expect(call()).rejects.toThrow(text('no endpoints available for service "hook"'));
  const slice = (name: string, addressType: string, address: string, ready: boolean): void => {
    view.put(ENDPOINT_SLICES, {
      metadata: { namespace: 'ns', name, labels: { 'kubernetes.io/service-name': 'hook' } }, addressType, ports: [{ name: 'h', port }], endpoints: [{ addresses: [address], conditions: { ready } }],
    });
  };
  slice('one', 'IPv4', '127.0.0.9', false);
  slice('six', 'IPv6', '::9', true);
  slice('two', 'IPv4', '127.0.0.1', true);
  let host: string | undefined;
  handler = (request, response, body) => {
    ({ host } = request.headers);
    answer(200, '{}')(request, response, body);
  };
  expect(await call()).toEqual({});
  expect(host).toBe('hook.ns.svc:443');
  // Its name is what the certificate must have.
  const other = { ...config, service: { ...config.service, name: 'other' } };
  view.put(SERVICES, { metadata: { namespace: 'ns', name: 'other' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } });
  await expect(caller.call({ ...other, service: { ...other.service, port } }, {}, options)).rejects.toThrow(
    `Post "https://other.ns.svc:${port}/mutate?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for hook.ns.svc, localhost, not other.ns.svc`,
  );
});

test.each<[number, string, string, string]>([
  [200, '', 'application/json', '0-length response with status code: 200 and content type: application/json'],
  [200, '{"a', 'application/json', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  [404, '404 page not found', 'text/plain', 'the server could not find the requested resource'],
  [500, 'boom\n', 'text/plain', 'an error on the server ("boom") has prevented the request from succeeding'],
  [500, '{}', 'application/json', 'an error on the server ("unknown") has prevented the request from succeeding'],
  [503, '{"kind":"Status","status":"Failure","message":"not now"}', 'application/json', 'not now'],
  [302, '', 'text/plain', 'the server responded with the status code 302 but did not return more information'],
])('%i %j is no answer', async (code, text, type, message) => {
  handler = answer(code, text, type);
  await expect(caller.call({ url: `https://127.0.0.1:${port}`, caBundle }, {}, options)).rejects.toMatchObject({ message, code: code === 200 ? 503 : code });
});

const tooMuch = (length: number): string => `the response body of ${length} bytes is no JSON, or nested more than 1000 levels deep`;

test.each<[string, string, string]>([
  ['nested', `{"a":${'['.repeat(1001)}${']'.repeat(1001)}}`, "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth"],
  ['nested, big', `{"a":${'['.repeat(6e5)}${']'.repeat(6e5)}}`, tooMuch(1_200_006)],
  ['big, no JSON', '- a\n'.repeat(3e5), tooMuch(1_200_000)],
])('an answer that would take long to read, or could not be handled: %s', async (_name, text, message) => {
  handler = answer(200, text);
  await expect(caller.call({ url: `https://127.0.0.1:${port}`, caBundle }, {}, options)).rejects.toMatchObject({ name: 'WebhookCallError', message });
});

test.each([200, 500])('what is nested deeply is not parsed to find that out, with status %i neither', async (code) => {
  handler = answer(code, '['.repeat(2e6));
  const parse = jest.spyOn(JSON, 'parse');
  try {
    await expect(caller.call({ url: `https://127.0.0.1:${port}`, caBundle }, {}, options)).rejects.toMatchObject({ name: 'WebhookCallError' });
    expect(parse.mock.calls.filter(([text]) => text.length > 1e6)).toEqual([]);
  } finally {
    parse.mockRestore();
  }
});

test('an answer that offers another protocol fails the call at once', async () => {
  handler = (request) => void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
  await expect(caller.call({ url: `https://127.0.0.1:${port}`, caBundle }, {}, options)).rejects.toMatchObject({ name: 'WebhookCallError', message: `Post "https://127.0.0.1:${port}/?timeout=10s": EOF` });
});

test('the path of a URL may have bytes that are no text', async () => {
  const paths: (string | undefined)[] = [];
  handler = (request, response, body) => {
    paths.push(request.url);
    answer(200, '{}')(request, response, body);
  };
  for (const path of ['%ff/a', '%41 b']) await caller.call({ url: `https://127.0.0.1:${port}/${path}`, caBundle }, {}, options);
  expect(paths).toEqual(['/%ff/a?timeout=10s', '/A%20b?timeout=10s']);
});

test('what cannot be reached or trusted is told in the words of upstream', async () => {
  const failure = async (url: string, ca: string | undefined, more = {}): Promise<string> => {
    const error: unknown = await caller.call({ url, caBundle: ca }, {}, { ...options, ...more }).then(() => undefined, (reason: unknown) => reason);
    return (error as Error).message;
  };
  const base = `https://127.0.0.1:${port}/`;
  expect(await failure(base, bundle(stranger.certificate))).toBe(`Post "${base}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`);
  expect(await failure(base, undefined)).toBe(`Post "${base}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`);
  expect(await failure(base, bundle('no pem'))).toBe('unable to load root certificates: unable to parse bytes as PEM block');
  expect(await failure(`https://127.0.0.1:1/`, caBundle)).toBe('Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused');

  handler = () => undefined;
  expect(await failure(base, caBundle, { timeoutMilliseconds: 20 })).toBe(`Post "${base}?timeout=1s": context deadline exceeded`);
  expect(await failure(base, caBundle, { signal: AbortSignal.abort() })).toBe(`Post "${base}?timeout=10s": context canceled`);
  handler = answer(200, JSON.stringify({ long: 'x'.repeat(2000) }));
  expect(await failure(base, caBundle, { maxAnswerBytes: 1000 })).toBe('the response body is larger than 1000 bytes');
  handler = (request) => request.socket.destroy();
  expect(await failure(base, caBundle)).toMatch(/EOF|connection reset by peer/);

  const plain = createNetServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port: plainPort } = plain.address() as AddressInfo;
  expect(await failure(`https://127.0.0.1:${plainPort}/`, caBundle)).toMatch(/: http: server gave HTTP response to HTTPS client$/);
  plain.close();

});

test('credentials of a kubeconfig are found by the name of what is called', async () => {
  const user = (name: string): { name: string; user: { token: string } } => ({ name, user: { token: `for ${name}` } });
  const find = kubeconfigCredentials({
    'current-context': 'c', contexts: [{ name: 'c', context: { cluster: '', user: 'mine' } }],
    users: [user('hook.ns.svc:8443'), user('*.ns.svc'), user('mine'), { name: 'plain.example', user: { username: 'u', password: 'p' } }],
  });
  expect(find('hook.ns.svc:8443')).toEqual({ token: 'for hook.ns.svc:8443' });
  expect(find('hook.ns.svc:443')).toEqual({ token: 'for *.ns.svc' });
  expect(find('hook.ns.svc:444')).toEqual({ token: 'for mine' });
  expect(find('plain.example:443')).toEqual({ username: 'u', password: 'p' });

  const shown: (string | undefined)[] = [];
  handler = (request, response, body) => {
    shown.push(request.headers.authorization);
    answer(200, '{}')(request, response, body);
  };
  for (const entry of [{ token: 't' }, { username: 'u', password: 'p' }]) {
    const with_ = createWebhookCaller({ view, clock, random: new SeededRandom() }, kubeconfigCredentials({ users: [{ name: `127.0.0.1:${port}`, user: entry }] }));
    await with_.call({ url: `https://127.0.0.1:${port}`, caBundle }, {}, options);
  }
  expect(shown).toEqual(['Bearer t', 'Basic dTpw']);
});

test('the files that a kubeconfig names are read with it', async () => {
  const files: Readonly<Record<string, string>> = {
    '/etc/w/kubeconfig': 'apiVersion: v1\nkind: Config\nusers:\n- name: "*"\n  user: {client-certificate: pki/c.pem, client-key: /k.pem, tokenFile: token}\n',
    '/etc/w/pki/c.pem': 'CERT', '/k.pem': 'KEY', '/etc/w/token': 'secret\n',
  };
  const config = await loadWebhookKubeconfig('/etc/w/kubeconfig', async (path) => Buffer.from(files[path]!));
  expect(kubeconfigCredentials(config)('any.where:443')).toEqual({ token: 'secret', certificate: 'CERT', key: 'KEY' });
});
