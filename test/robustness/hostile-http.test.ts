import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { RawConnection, type RawTarget } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';

jest.setTimeout(120_000);

let dataDir: string;
let server: ServerProcess;
let target: RawTarget;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kube-hostile-'));
  server = startServerProcess({ dataDir });
  target = await server.ready;
});

afterAll(async () => {
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(async () => {
  const connection = await RawConnection.open(target);
  expect((await connection.request('GET', '/readyz')).status).toBe(200);
  connection.close();
  expect(server.child.exitCode).toBeNull();
  expect(server.stderr()).toBe('');
});

const options = (protocol: string) => ({ host: target.host, port: target.port, ca: target.ca, cert: target.cert, key: target.key, ALPNProtocols: [protocol], checkServerIdentity: () => undefined });

function openTls(protocol = 'http/1.1'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(options(protocol), () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends bytes and gives everything that comes until the server closes, or until a second passes in silence. */
async function exchange(bytes: string | Buffer, protocol?: string): Promise<string> {
  const socket = await openTls(protocol);
  socket.on('error', () => undefined);
  let text = '';
  const done = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 1000);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      timer.refresh();
    });
    socket.on('close', () => resolve());
  });
  socket.write(bytes);
  await done;
  socket.destroy();
  return text;
}

const BAD_REQUESTS: readonly string[] = [
  'GARBAGE\r\n\r\n',
  'GET\r\n\r\n',
  'GET /api HTTP/9.9\r\n\r\n',
  'GET /api HTTP/1.0\r\n\r\n',
  'GET /api HTTP/1.1\r\n\r\n',
  'GET  /api  HTTP/1.1\r\nHost: x\r\n\r\n',
  'get /api HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET api HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://elsewhere/api HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET ? HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET //// HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/v1/../../etc HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/v1/namespaces/%C0%AF/pods HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api#fragment HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\x80\xff HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost x\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nX: \x01\x02\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: \r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a.b.c\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ' + 'e30.'.repeat(500) + '\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ====\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nImpersonate-User: \r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nImpersonate-Group: a\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nImpersonate-User: a\r\nImpersonate-Extra-%zz: a\r\n\r\n',
  'GET /api HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'GET /api/v1/namespaces/default/pods/x/exec HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: !\r\nSec-WebSocket-Version: 13\r\n\r\n',
  'POST /api/v1/namespaces/default/pods/x/exec HTTP/1.1\r\nHost: x\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n\x80\x03\x00\x01\xff\xff\xff\xff',
  'GET /api/%zz HTTP/1.1\r\nHost: x\r\nUpgrade: nonsense\r\nConnection: Upgrade\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nContent-Length: 2\r\n\r\n{}',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"half":',
  `GET /api HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(5000)}\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(2_000_000)}\r\n\r\n`,
  `GET /${'a'.repeat(2_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200),
];

test('bad requests are refused and nothing breaks', async () => {
  const answers = await Promise.all(BAD_REQUESTS.map((text) => exchange(Buffer.from(text, 'latin1'))));
  answers.forEach((answer, i) => {
    for (const [, code] of answer.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      if (Number(code) >= 500 && ![501, 503, 504, 505].includes(Number(code))) throw new Error(`${BAD_REQUESTS[i]!.slice(0, 200)} was answered with ${answer.slice(0, 500)}`);
    }
  });
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 4')).length).toBeGreaterThan(20);
});

test('connections that speak no TLS, or stop in the middle of the handshake', async () => {
  const sockets = ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x02\x00\x01', '\0'.repeat(1000), ''].flatMap((text) => Array.from({ length: 20 }, () => {
    const socket = connectTcp(target.port, target.host, () => socket.write(Buffer.from(text, 'latin1')));
    socket.on('error', () => undefined);
    return socket;
  }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const socket of sockets) socket.destroy();
});

test('clients that vanish in the middle of a request or an answer', async () => {
  for (const bytes of ['GET /api/v1', 'GET /openapi/v2 HTTP/1.1\r\nHost: x\r\n\r\n', 'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', 'GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    for (let i = 0; i < 10; i++) {
      const socket = await openTls();
      socket.on('error', () => undefined);
      socket.write(bytes);
      await new Promise((resolve) => setTimeout(resolve, i));
      socket.destroy();
    }
  }
});

test.each([
  ['nonsense instead of the preface', Buffer.from('PRI * NOPE/2.0\r\n\r\nXX\r\n\r\n')],
  ['a frame that is too long', Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])])],
  ['headers that are no HPACK', Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), Buffer.from([0, 0, 5, 1, 5, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff])])],
  ['ten thousand settings', Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), ...Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))])],
  ['ten thousand pings', Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), ...Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]))])],
])('HTTP/2 with %s', async (_what, bytes) => {
  await exchange(bytes, 'h2');
});

test('HTTP/2 streams that are opened and reset at once', async () => {
  const session = connectHttp2(`https://${target.host}:${target.port}`, options('h2'));
  session.on('error', () => undefined);
  for (let round = 0; round < 10 && !session.destroyed; round++) {
    for (let i = 0; i < 100; i++) {
      const stream = session.request({ ':path': i % 2 === 0 ? '/api/v1/pods?watch=1' : '/openapi/v2' });
      stream.on('error', () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  session.destroy();
});

test('many requests at once over one HTTP/2 session are all answered', async () => {
  const session = connectHttp2(`https://${target.host}:${target.port}`, options('h2'));
  const codes = await Promise.all(Array.from({ length: 300 }, () => new Promise<number>((resolve, reject) => {
    const stream = session.request({ ':path': '/api/v1/namespaces' });
    let code = 0;
    stream.on('response', (headers) => (code = Number(headers[':status'])));
    stream.on('error', reject);
    stream.on('end', () => resolve(code));
    stream.resume();
  })));
  session.close();
  expect(new Set(codes)).toEqual(new Set([200]));
});
