import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { SystemClock } from '../../base/clock.js';
import { SystemRandom } from '../../base/random.js';
import { createCertificateAuthority, issueCertificate } from '../../base/tls/authority.js';
import { readBody } from './body.js';
import type { AnyRequest, AnyResponse } from './connection-identity.js';
import { isClosed } from './is-closed.js';
import { Listener } from './listener.js';
import { RequestDeadlines } from './request-deadlines.js';
import { writeResponse } from './response-writer.js';

const authority = createCertificateAuthority({ commonName: 'kubernetes' }, { clock: new SystemClock(), random: new SystemRandom() });
const { certificate, key } = issueCertificate(authority, { commonName: 'kube-apiserver', usages: ['server'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
const PLAIN = { acceptEncoding: '', warnings: [] };

let listener: Listener;
let serve: (response: AnyResponse, request: AnyRequest) => void;
const begun: string[] = [];

beforeEach(async () => {
  begun.length = 0;
  listener = new Listener({ host: '127.0.0.1', port: 0, certificate, key, clientCa: '' }, {
    onRequest: (request, response) => {
      begun.push(request.url ?? '');
      serve(response, request);
    },
    onUpgrade: (_request, socket) => socket.destroy(),
  }, new SystemClock());
  await listener.start();
});
afterEach(() => listener.stop(0));

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
};

function open(allowHalfOpen = false): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // allowHalfOpen is not in the types.
    const options = { allowHalfOpen, host: '127.0.0.1', port: listener.address.port, ca: authority.certificate, ALPNProtocols: ['http/1.1'] };
    const socket = connect(options, () => resolve(socket));
    socket.on('error', reject);
  });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('requests that are sent before the answers ahead of them come are begun in their turn, and not at all when the connection ends', async () => {
  const responses: AnyResponse[] = [];
  serve = (response) => responses.push(response);
  const socket = await open();
  socket.write(get('/a') + get('/b') + get('/c'));
  await until(() => responses.length > 0);
  expect(begun).toEqual(['/a']);
  (responses[0] as ServerResponse).end('a');
  await until(() => responses.length > 1);
  expect(begun).toEqual(['/a', '/b']);
  const closed = new Promise((resolve) => responses[1]!.once('close', () => resolve(undefined)));
  socket.destroy();
  await closed;
  expect(begun).toEqual(['/a', '/b']);
  expect(responses.map(isClosed)).toEqual([true, true]);
});

test('a connection cannot pile up requests without end', async () => {
  serve = () => undefined;
  const socket = await open();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.removeAllListeners('error').on('error', () => undefined);
  socket.resume();
  socket.write(get('/').repeat(1_100));
  await closed;
  expect(begun).toHaveLength(1);
});

test('silent peers are asked whether they are still there', async () => {
  const socket = await open();
  const port = listener.address.port.toString(16).toUpperCase().padStart(4, '0');
  const connection = new RegExp(`^ *\\d+: 0100007F:${port} 0100007F:\\w+ 01 .*`, 'm');
  // Which timer of the connection runs: 01 as long as something is unacknowledged, then 02 for that of the probes or 00.
  let timer = '01';
  while (timer === '01') timer = connection.exec(await readFile('/proc/net/tcp', 'utf8'))![0].trim().split(/ +/)[5]!.slice(0, 2);
  expect(timer).toBe('02');
  socket.destroy();
});

test('who goes on sending after something that is no HTTP is not hung up on before the answer can be read', async () => {
  const socket = await open(true);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  const closed = new Promise((resolve, reject) => {
    socket.removeAllListeners('error').on('error', reject);
    socket.once('close', resolve);
  });
  socket.write('NONSENSE / HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n');
  for (let sent = 0; sent < 4; sent++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => socket.write(Buffer.alloc(100_000, 'a'), resolve));
  }
  expect(text).toMatch(/^HTTP\/1.1 400 Bad Request/);
  expect(socket.destroyed).toBe(false);
  socket.end();
  await closed;
});

/** What comes back for some bytes, until the connection closes or `done`. */
async function exchange(bytes: string, done: (text: string) => boolean = () => false): Promise<string> {
  const socket = await open();
  let text = '';
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (done(text)) resolve();
    });
  });
  socket.write(bytes);
  await closed;
  socket.destroy();
  return text;
}

test('what is no HTTP is not answered in the middle of another answer', async () => {
  serve = (response) => {
    (response as ServerResponse).write('first,');
    setTimeout(() => (response as ServerResponse).end('last'), 100);
  };
  const text = await exchange(`${get('/')}NONSENSE\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1.1 200 OK[^]*first,[^]*last\r\n0\r\n\r\nHTTP\/1.1 400 Bad Request/);
});

test('a request whose body breaks off after its answer gets no second one', async () => {
  serve = (response) => (response as ServerResponse).end('no');
  expect(await exchange('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nNONSENSE')).toMatch(/^HTTP\/1.1 200 OK(?![^]*400 Bad Request)/);
});

test('the last request of a connection is answered although something comes after it', async () => {
  serve = (response) => setTimeout(() => (response as ServerResponse).end('yes'), 50);
  expect(await exchange('GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK[^]*yes(?![^]*400 Bad Request)/);
});

test('requests of HTTP/1.1 have one host, and headers that are not endless', async () => {
  serve = (response) => (response as ServerResponse).end('served');
  expect(await exchange('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*400 Bad Request: missing required Host header/);
  expect(await exchange('GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n')).toMatch(/^HTTP\/1.1 400 (?![^]*served)/);
  expect(await exchange('GET / HTTP/1.0\r\n\r\n')).toMatch(/served/);
  expect(await exchange(`GET / HTTP/1.1\r\nHost: x\r\nLong: ${'x'.repeat(2 << 20)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
});

test('of whole URLs only path and query count', async () => {
  serve = (response) => (response as ServerResponse).writeHead(200, { connection: 'close' }).end();
  for (const url of ['https://other/a?b=http://c/', 'HTTP://other', '/d']) await exchange(get(url));
  expect(begun).toEqual(['/a?b=http://c/', '/', '/d']);
});

test('nor is the rest of a body of HTTP/1 waited for', async () => {
  serve = (response) => new RequestDeadlines(new SystemClock(), 60_000).begin(response, 0, 100);
  const socket = await open();
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
  await closed;
  expect(text).toMatch(/^HTTP\/1.1 504 [^]*connection: close/i);
});

describe('HTTP/2', () => {
  let session: ClientHttp2Session;
  beforeEach(() => {
    session = connectHttp2(`https://127.0.0.1:${listener.address.port}`, { ca: authority.certificate });
  });
  afterEach(() => session.destroy());

  /** Reads nothing, and cancels when the server waits for it. */
  function cancelled(): Promise<void> {
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.on('response', () => setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 50));
    stream.pause();
    return new Promise((resolve) => stream.once('close', () => resolve()));
  }

  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      yield Buffer.alloc(100_000);
      await new Promise(setImmediate);
    }
  }

  test('an answer that the client does not want any more comes to its end', async () => {
    const written = new Promise<void>((resolve, reject) => {
      serve = (response) => void writeResponse(response, { type: 'stream', code: 200, mediaType: 'application/json', chunks: endless() }, PLAIN).then(resolve, reject);
    });
    await cancelled();
    await written;
  });

  test('a body that never ends is given up with the request', async () => {
    const read = new Promise((resolve, reject) => {
      serve = (response, request) => {
        new RequestDeadlines(new SystemClock(), 60_000).begin(response, 0, 100);
        readBody(request, 1_000).then(resolve, reject);
      };
    });
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    let status: unknown;
    stream.on('response', (headers) => (status = headers[':status']));
    stream.resume().write('{');
    const closed = new Promise((resolve) => stream.once('close', resolve));
    await expect(read).rejects.toMatchObject({ message: 'the client closed the connection before the body was complete' });
    await closed;
    expect(status).toBe(504);
  });

  test('so does a watch, also one that is answered too late', async () => {
    let closed = 0;
    const watch = { type: 'watch' as const, stream: { mediaType: 'application/json', frames: endless, events: () => { throw new Error('unused'); }, close: () => void closed++ } };
    const written: Promise<void>[] = [];
    serve = (response) => {
      const late = new Promise<void>((resolve, reject) => {
        response.once('close', () => setImmediate(() => void writeResponse(response, watch, PLAIN).then(resolve, reject)));
      });
      written.push(writeResponse(response, watch, PLAIN), late);
    };
    await cancelled();
    await Promise.all(written);
    expect(closed).toBeGreaterThanOrEqual(2);
  });
});
