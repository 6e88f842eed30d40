import { Duplex, PassThrough } from 'node:stream';
import { createDeflate, constants } from 'node:zlib';
import { headerDictionary } from './dictionary.js';
import { dataFrameHead, FLAG_FIN } from './frames.js';
import { HeaderBlockReader, HeaderBlockWriter } from './header-block.js';
import { SpdyConnection, type SpdyStream } from './index.js';

function pair(): [Duplex, Duplex] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [Duplex.from({ readable: back, writable: there }), Duplex.from({ readable: there, writable: back })];
}

test('header blocks come through, several in a row, also from a real compressor', async () => {
  const writer = new HeaderBlockWriter();
  const reader = new HeaderBlockReader();
  const headers = new Map([['streamtype', ['data']], ['port', ['80', '81']]]);
  for (let i = 0; i < 3; i++) expect(await reader.decode(writer.encode(headers))).toEqual(headers);
  reader.close();

  const deflate = createDeflate({ dictionary: headerDictionary() });
  const plain = Buffer.from([0, 0, 0, 1, 0, 0, 0, 4, ...Buffer.from('Port'), 0, 0, 0, 2, ...Buffer.from('80')]);
  const other = new HeaderBlockReader();
  for (let i = 0; i < 2; i++) {
    await new Promise<void>((resolve) => deflate.write(plain, () => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve())));
    expect(await other.decode(deflate.read() as Buffer)).toEqual(new Map([['port', ['80']]]));
  }
  other.close();
});

test('a stream carries megabytes both ways and half closes', async () => {
  const [a, b] = pair();
  const server = new SpdyConnection(a, 'server');
  const client = new SpdyConnection(b, 'client');
  server.on('stream', (stream: SpdyStream) => {
    expect(stream.header('StreamType')).toBe('data');
    stream.pipe(stream);
  });
  const stream = client.open(new Map([['streamtype', ['data']]]));
  const sent = Buffer.alloc(3_000_000, 'abc');
  stream.end(sent);
  const got: Buffer[] = [];
  for await (const chunk of stream) got.push(chunk as Buffer);
  expect(Buffer.concat(got).equals(sent)).toBe(true);
  client.close();
});

test('garbage closes the connection instead of the process', async () => {
  const [a, b] = pair();
  const server = new SpdyConnection(a, 'server');
  b.on('error', () => undefined);
  const closed = new Promise((resolve) => server.once('close', resolve));
  b.write(Buffer.from('80030001000000140000000100000000000000000000000000000000', 'hex'));
  expect(await closed).toBeInstanceOf(Error);
});

test('what was sent just before the end is not lost', async () => {
  for (let i = 0; i < 20; i++) {
    const [a, b] = pair();
    const server = new SpdyConnection(a, 'server');
    const client = new SpdyConnection(b, 'client');
    server.on('stream', (stream: SpdyStream) => {
      stream.write('last words');
      stream.end(() => server.close());
    });
    let text = '';
    for await (const chunk of client.open(new Map())) text += (chunk as Buffer).toString();
    expect(text).toBe('last words');
  }
});

test('a reader that is behind holds up the rest only until it reads, or its stream has ended', async () => {
  const [a, b] = pair();
  const server = new SpdyConnection(a, 'server');
  const client = new SpdyConnection(b, 'client');
  const accepted: SpdyStream[] = [];
  server.on('stream', (stream: SpdyStream) => accepted.push(stream));
  const [slow, ended, other] = [1, 2, 3].map(() => client.open(new Map()));
  // Many frames in one chunk of the transport.
  const frames = (stream: SpdyStream, letter: string): Buffer[] => Array.from({ length: 100 }, () => [dataFrameHead(stream.id, 0, 2000), Buffer.alloc(2000, letter)]).flat();
  b.write(Buffer.concat([...frames(slow!, 'a'), ...frames(ended!, 'b'), dataFrameHead(ended!.id, FLAG_FIN, 0)]));
  while (accepted.length < 3) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  other!.end('through');
  accepted[0]!.resume();
  let text = '';
  for await (const chunk of accepted[2]!) text += (chunk as Buffer).toString();
  expect(text).toBe('through');
  client.close();
});
