import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.js';
import { SpdyConnection, type SpdyStream } from '../../base/spdy/index.js';
import { ChannelSocket } from '../../base/websocket/channels.js';
import { codingOf, errorText } from './protocols.js';

/** Channel of each stream, by its `streamtype`. */
const CHANNELS: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };
const ERROR = 3;

/** How long a client may take to open its streams. */
const STREAMS_MILLISECONDS = 30_000;

/** Serves exec or attach to a client that speaks SPDY: each stream is one channel of the agent's socket. */
export async function serveSpdyCommand(socket: Duplex, head: Buffer, agent: WebSocket, query: URLSearchParams, protocol: string, clock: Clock): Promise<void> {
  const connection = new SpdyConnection(socket, 'server', head);
  connection.once('close', () => agent.close());
  const tty = query.has('tty');
  const expected = ['error', ...(query.has('input') ? ['stdin'] : []), ...(query.has('output') ? ['stdout'] : []), ...(query.has('error') && !tty ? ['stderr'] : []), ...(tty && protocol !== 'channel.k8s.io' && protocol !== 'v2.channel.k8s.io' ? ['resize'] : [])];
  const streams = await collectStreams(connection, expected, clock);
  if (!streams) {
    agent.close();
    connection.close();
    return;
  }
  const channels: ChannelSocket = new ChannelSocket(agent, codingOf(agent.protocol), {
    data(channel, bytes) {
      if (channel === ERROR) return finish(bytes);
      const stream = streams.get(channel);
      if (stream && !stream.destroyed && !stream.writableEnded && !stream.write(bytes)) {
        channels.pause();
        stream.once('drain', () => channels.resume());
        stream.once('close', () => channels.resume());
      }
    },
    end: (channel) => void (channel === ERROR ? undefined : streams.get(channel)?.end()),
    close: () => finish(undefined),
  });
  for (const [channel, stream] of streams) {
    stream.on('error', () => undefined);
    if (channel === CHANNELS['stdin']) void forward(stream, channels, channel);
    else if (channel === CHANNELS['resize']) void forwardLines(stream, channels, channel);
    else stream.resume();
  }
  let finished = false;
  const finish = (status: Buffer | undefined): void => {
    if (finished) return;
    finished = true;
    const error = streams.get(ERROR)!;
    const text = status && errorText(status, protocol);
    if (text && text.length > 0) error.write(text);
    const ending = [...streams.values()].map((stream) => new Promise<void>((resolve) => (stream.destroyed || stream.writableEnded ? resolve() : stream.end(() => resolve()))));
    void Promise.all(ending).then(() => connection.close());
  };
  agent.resume();
}

/** Undefined when not all came in time. */
function collectStreams(connection: SpdyConnection, expected: readonly string[], clock: Clock): Promise<ReadonlyMap<number, SpdyStream> | undefined> {
  return new Promise((resolve) => {
    const streams = new Map<number, SpdyStream>();
    const done = (result: ReadonlyMap<number, SpdyStream> | undefined): void => {
      cancel();
      connection.off('stream', take);
      resolve(result);
    };
    const take = (stream: SpdyStream): void => {
      const channel = CHANNELS[stream.header('streamtype')];
      if (channel === undefined) return void stream.destroy();
      streams.set(channel, stream);
      if (expected.every((name) => streams.has(CHANNELS[name]!))) done(streams);
    };
    const cancel = clock.setTimeout(() => done(undefined), STREAMS_MILLISECONDS, { unref: true });
    connection.on('stream', take);
    connection.once('close', () => done(undefined));
  });
}

async function forward(stream: SpdyStream, channels: ChannelSocket, channel: number): Promise<void> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) if (!(await channels.send(channel, chunk as Buffer))) return;
    await channels.endChannel(channel);
  } catch {
    // The client is gone; closing its connection ends the rest.
  }
}

async function forwardLines(stream: SpdyStream, channels: ChannelSocket, channel: number): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      const lines = (rest + (chunk as Buffer).toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') await channels.send(channel, Buffer.from(line));
    }
  } catch {
    // As above.
  }
}
