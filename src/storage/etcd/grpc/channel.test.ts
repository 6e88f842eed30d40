import { afterEach, expect, jest, test } from '@jest/globals';
import { constants, createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream, type Settings } from 'node:http2';
import { createServer as createPlainServer, type AddressInfo, type Server } from 'node:net';
import { FakeClock, SystemClock } from '../../../base/clock.js';
import type { EtcdCallError } from '../call-error.js';
import { GrpcChannel } from './channel.js';

jest.setTimeout(30_000);

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A message as gRPC frames it. */
function prefixed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The messages of which all is there. */
function messagesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length; at += 5 + messages.at(-1)!.length) messages.push(bytes.subarray(at + 5, at + 5 + bytes.readUInt32BE(at + 1)));
  return messages;
}

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

async function listening(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Node.js' own server at the other end: it does not know our code. */
async function start(handler: Handler, settings: Settings = {}): Promise<{ readonly channel: GrpcChannel; readonly server: Http2Server }> {
  const server = createServer({ settings });
  server.on('stream', handler);
  server.on('sessionError', () => undefined);
  const channel = new GrpcChannel(await listening(server), { endpoints: [] }, new SystemClock());
  closing.push(() => {
    channel.close();
    server.close();
  });
  return { channel, server };
}

/** Reads one message and answers with what `make` makes of it. */
function answering(make: (message: Buffer) => Buffer): Handler {
  return (stream) => {
    const parts: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => parts.push(chunk));
    stream.on('error', () => undefined);
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
      stream.end(prefixed(make(messagesOf(Buffer.concat(parts))[0]!)));
    });
  };
}

const text = 'x'.repeat(1000);
const failure = (call: Promise<unknown>): Promise<EtcdCallError> => call.then(() => Promise.reject(new Error('it succeeded')), (error: EtcdCallError) => error);

test('large messages pass through small windows, both ways, beside small ones', async () => {
  const { channel } = await start(answering((message) => Buffer.concat([message, message])), { initialWindowSize: 10_000 });
  const large = Buffer.alloc(1 << 20, 'abc');
  const sizes = [0, 1, 9_994, 9_995, 9_996, 20_000];
  const [twice, ...small] = await Promise.all([channel.unary('/a/B', undefined, large, 20_000), ...sizes.map((size) => channel.unary('/a/B', undefined, Buffer.alloc(size, 1), 20_000))]);
  expect(twice.length).toBe(2 << 20);
  expect(twice.subarray(1 << 20).equals(large)).toBe(true);
  expect(small.map(({ length }) => length)).toEqual(sizes.map((size) => size * 2));
});

test('no more streams than the server allows are open at a time', async () => {
  let open = 0;
  let most = 0;
  const { channel } = await start((stream) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      stream.respond({ ':status': 200, 'grpc-status': '0' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(prefixed(Buffer.from('a')));
    }, 5);
  }, { maxConcurrentStreams: 3 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => channel.unary('/a/B', undefined, Buffer.from('q'), 10_000)));
  expect(answers.map(String)).toEqual(Array.from({ length: 20 }, () => 'a'));
  expect(most).toBeLessThanOrEqual(3);
});

test('what the server says of a failed call is told as it says it; fields of a token are sent', async () => {
  const seen: unknown[] = [];
  const { channel } = await start((stream, headers) => {
    seen.push([headers[':path'], headers['token'], headers['te'], headers['content-type']]);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '9', 'grpc-message': 'etcdserver: 100%25 %C3%BCber {<>}~ "limit"' }, { endStream: true });
  });
  const error = await failure(channel.unary('/etcdserverpb.KV/Txn', `secret.${text}`, Buffer.from('q'), 10_000));
  expect(error).toMatchObject({ status: 9, details: 'etcdserver: 100% über {<>}~ "limit"', unsent: false });
  expect(seen).toEqual([['/etcdserverpb.KV/Txn', `secret.${text}`, 'trailers', 'application/grpc']]);
});

test('a stream that the server refuses was not looked at; one that is reset may have been', async () => {
  const codes = [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_INTERNAL_ERROR];
  const { channel } = await start((stream) => {
    stream.on('error', () => undefined);
    stream.close(codes.shift()!);
  });
  expect(await failure(channel.unary('/a/B', undefined, Buffer.from('q'), 10_000))).toMatchObject({ unsent: true });
  expect(await failure(channel.unary('/a/B', undefined, Buffer.from('q'), 10_000))).toMatchObject({ unsent: false, isUnknown: true });
});

test('a lost connection ends its calls and is made again; a server that goes away gets no new ones', async () => {
  let served = 0;
  const sessions = new Set<unknown>();
  const { channel, server } = await start((stream, headers) => {
    served++;
    sessions.add(stream.session);
    stream.on('error', () => undefined);
    if (headers[':path'] === '/die') return stream.session?.destroy();
    if (headers[':path'] === '/leave') stream.session?.goaway();
    answering((message) => message)(stream, headers);
  });
  const ask = (path: string): Promise<Buffer> => channel.unary(path, undefined, Buffer.from('q'), 10_000);
  await ask('/a');
  expect(await failure(ask('/die'))).toMatchObject({ unsent: false, status: 14 });
  expect(String(await ask('/a'))).toBe('q');
  await ask('/leave').catch(() => undefined);
  expect(String(await ask('/a'))).toBe('q');
  expect([served, sessions.size]).toEqual([5, 3]);
  server.close();
});

test('messages of a long stream arrive one by one, in whatever pieces they come, and after a cancel nothing does', async () => {
  const { channel } = await start((stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('data', (chunk: Buffer) => {
      const all = Buffer.concat(messagesOf(chunk).flatMap((message) => [prefixed(message), prefixed(Buffer.from(text))]));
      for (let at = 0; at < all.length; at += 7) stream.write(all.subarray(at, at + 7));
    });
  });
  const got: string[] = [];
  let more: () => void = () => undefined;
  const call = channel.begin('/a/Watch', undefined, Buffer.from('one'), false, {
    onMessage: (message) => {
      got.push(String(message));
      more();
    },
    onDone: () => got.push('done'),
  });
  const until = (count: number): Promise<void> => new Promise((resolve) => {
    more = () => got.length >= count && resolve();
    more();
  });
  call.write(Buffer.from('two'));
  await until(4);
  expect(got).toEqual(['one', text, 'two', text]);
  call.write(Buffer.from('three'));
  call.cancel();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(got).toHaveLength(4);
});

test('no server, one that speaks something else, and one that is silent: nothing was sent', async () => {
  const other = createPlainServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const silent = createPlainServer((socket) => {
    socket.on('error', () => undefined).on('data', () => undefined);
    closing.push(() => socket.destroy());
  });
  closing.push(() => other.close(), () => silent.close());
  const call = async (url: string, milliseconds = 5_000): Promise<EtcdCallError> => {
    const channel = new GrpcChannel(url, { endpoints: [] }, new SystemClock());
    const error = await failure(channel.unary('/a/B', undefined, Buffer.from('q'), milliseconds));
    channel.close();
    return error;
  };
  expect(await call('http://127.0.0.1:1')).toMatchObject({ status: 14, unsent: true, details: 'connect ECONNREFUSED 127.0.0.1:1' });
  expect(await call(await listening(other))).toMatchObject({ unsent: true, details: expect.stringMatching(/Protocol error|Failed to connect/) });
  expect(await call(await listening(silent), 100)).toMatchObject({ status: 4, unsent: true, details: 'no answer within 0.1 s' });
});

test('a server that neither accepts nor refuses is given up after 5 s, and asked anew by the next call', async () => {
  let sockets = 0;
  let heard: () => void = () => undefined;
  const silent = createPlainServer((socket) => {
    sockets++;
    socket.on('error', () => undefined).on('data', () => heard());
    closing.push(() => socket.destroy());
  });
  const clock = new FakeClock();
  const channel = new GrpcChannel(await listening(silent), { endpoints: [] }, clock);
  closing.push(() => channel.close(), () => silent.close());
  for (let round = 1; round <= 2; round++) {
    const connecting = new Promise<void>((resolve) => (heard = resolve));
    const error = failure(channel.unary('/a/B', undefined, Buffer.from('q'), 60_000));
    await connecting;
    await clock.advance(5_000);
    expect(await error).toMatchObject({ status: 14, unsent: true, details: 'no connection within 5 s' });
    expect(sockets).toBe(round);
  }
});

test('closing ends the calls under way, and those that come after it', async () => {
  const arrived: (() => void)[] = [];
  const { channel } = await start((stream) => {
    stream.on('error', () => undefined);
    arrived.shift()?.();
  });
  const asked = new Promise<void>((resolve) => arrived.push(resolve));
  const error = failure(channel.unary('/a/B', undefined, Buffer.from('q'), 10_000));
  await asked;
  channel.close();
  expect(await error).toMatchObject({ status: 14, unsent: false, details: 'the connection was closed' });
  expect(await failure(channel.unary('/a/B', undefined, Buffer.from('q'), 10_000))).toMatchObject({ status: 14, unsent: true });
});
