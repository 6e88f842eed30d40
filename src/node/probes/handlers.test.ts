import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { V1Container } from '../../api/generated/types.js';
import { FakeClock, SystemClock } from '../../base/clock.js';
import { grpcHealth } from './grpc.js';
import { httpGet, tcpConnect, type HttpCall } from './handlers.js';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen<T extends Server>(server: T): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const container: V1Container = { name: 'app' };
const call = (more: Partial<HttpCall> = {}): HttpCall => ({ container, podIp: '127.0.0.1', timeout: 5000, clock: new SystemClock(), purpose: 'probe', ...more });

describe('http', () => {
  test('headers are the handler\'s, with upstream\'s beside them', async () => {
    let seen: http.IncomingHttpHeaders = {};
    const port = await listen(http.createServer((request, response) => {
      seen = request.headers;
      response.end('fine');
    }));
    expect(await httpGet({ port, httpHeaders: [{ name: 'X-One', value: 'a' }, { name: 'Host', value: 'example.test' }, { name: 'Accept', value: '' }] }, call())).toEqual({ success: true, output: 'fine' });
    expect(seen).toMatchObject({ 'x-one': 'a', host: 'example.test', 'user-agent': 'kube-probe/1.36', connection: 'close' });
    expect(seen.accept).toBeUndefined();
  });

  test('a named port is the container\'s; one that is missing is no verdict', async () => {
    const port = await listen(http.createServer((_request, response) => response.end()));
    expect((await httpGet({ port: 'web' }, call({ container: { name: 'app', ports: [{ name: 'web', containerPort: port }] } }))).success).toBe(true);
    await expect(httpGet({ port: 'web' }, call())).rejects.toThrow('port web not found');
    await expect(tcpConnect({ port: 70_000 }, container, '127.0.0.1', 1000)).rejects.toThrow('invalid port number: 70000');
  });

  test('redirects within the host are followed, others end the probe as a success with a warning, and circles fail', async () => {
    const port = await listen(http.createServer((request, response) => {
      if (request.url === '/near') response.writeHead(302, { location: '/there' }).end();
      else if (request.url === '/there') response.end('arrived');
      else if (request.url === '/circle') response.writeHead(302, { location: '/circle' }).end();
      else response.writeHead(302, { location: 'http://elsewhere.test/' }).end('see elsewhere');
    }));
    expect(await httpGet({ port, path: '/near' }, call())).toEqual({ success: true, output: 'arrived' });
    expect(await httpGet({ port, path: '/far' }, call())).toEqual({ success: true, warning: true, output: 'Probe terminated redirects, Response body: see elsewhere' });
    expect(await httpGet({ port, path: '/circle' }, call())).toMatchObject({ success: false, output: expect.stringContaining('stopped after 10 redirects') });
  });

  test('answers of 400 and more, refused connections and slow servers fail, in Go\'s words', async () => {
    const port = await listen(http.createServer((request, response) => {
      if (request.url !== '/slow') response.writeHead(503).end('busy');
      else response.write('never complete');
    }));
    expect(await httpGet({ port }, call())).toEqual({ success: false, output: 'HTTP probe failed with statuscode: 503' });
    const clock = new FakeClock();
    const slow = httpGet({ port, path: '/slow' }, call({ clock, timeout: 1000 }));
    await clock.advance(1000);
    expect(await slow).toEqual({ success: false, output: `Get "http://127.0.0.1:${port}/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)` });
    const closed = open.pop()!;
    (closed as http.Server).closeAllConnections();
    await new Promise((resolve) => closed.close(resolve));
    expect(await httpGet({ port, path: 'x' }, call())).toEqual({ success: false, output: `Get "http://127.0.0.1:${port}/x": dial tcp 127.0.0.1:${port}: connect: connection refused` });
  });
});

test('grpc: serving, not serving, no health service, no answer', async () => {
  let answer: (stream: http2.ServerHttp2Stream) => void = () => undefined;
  const server = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => answer(stream));
  const port = await listen(server);
  const state = (value: number) => (stream: http2.ServerHttp2Stream): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, value]));
  };
  const ask = (clock = new SystemClock() as SystemClock | FakeClock): ReturnType<typeof grpcHealth> => grpcHealth('127.0.0.1', port, '', 5000, clock);
  answer = state(1);
  expect(await ask()).toEqual({ success: true, output: 'service healthy' });
  answer = state(2);
  expect(await ask()).toEqual({ success: false, output: 'service unhealthy (responded with "NOT_SERVING")' });
  answer = (stream) => stream.respond({ ':status': 200, 'grpc-status': '12', 'grpc-message': 'unknown service' }, { endStream: true });
  expect((await ask()).output).toBe('error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service');
  const clock = new FakeClock();
  const asked = new Promise<void>((resolve) => (answer = () => resolve()));
  const silent = ask(clock);
  await asked;
  await clock.advance(5000);
  expect((await silent).output).toBe('timeout: health rpc did not complete within 5s');
  for (const session of sessions) session.destroy();
});
