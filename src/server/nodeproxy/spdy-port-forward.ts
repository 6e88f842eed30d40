import type { WebSocket } from 'ws';
import { errorMessage } from '../../base/errors.js';
import type { SpdyConnection, SpdyStream } from '../../base/spdy/index.js';
import { ChannelSocket } from '../../base/websocket/channels.js';
import { codingOf } from './protocols.js';

/** Opens an agent's socket to one port of the pod. */
export type OpenPort = (port: number) => Promise<WebSocket>;

const DATA = 0;

/** Serves port forwarding over SPDY: the client opens a pair of streams, error and data, for each connection. */
export function forwardStreams(connection: SpdyConnection, open: OpenPort): void {
  const halves = new Map<string, SpdyStream>();
  connection.on('stream', (stream: SpdyStream) => {
    stream.on('error', () => undefined);
    const type = stream.header('streamtype');
    // Old clients name no request: the error stream is the one opened just before.
    const request = stream.header('requestid') || String(type === 'error' ? stream.id : stream.id - 2);
    const other = halves.get(request);
    if (!other) {
      halves.set(request, stream);
      stream.once('close', () => halves.delete(request));
      return;
    }
    halves.delete(request);
    const [data, error] = type === 'data' ? [stream, other] : [other, stream];
    void forwardPair(data, error, open);
  });
}

async function forwardPair(data: SpdyStream, error: SpdyStream, open: OpenPort): Promise<void> {
  const port = Number(data.header('port'));
  error.resume();
  const fail = (message: string): void => {
    error.end(message);
    data.end();
    data.resume();
  };
  if (!Number.isInteger(port) || port < 1 || port > 65535) return fail(`unable to parse "${data.header('port')}" as a port`);
  let agent: WebSocket;
  try {
    agent = await open(port);
  } catch (failure) {
    return fail(`error forwarding port ${port}: ${errorMessage(failure)}`);
  }
  // Each channel begins with the port, two bytes.
  const begun = new Set<number>();
  const channels: ChannelSocket = new ChannelSocket(agent, codingOf(agent.protocol), {
    data(channel, bytes) {
      const payload = begun.has(channel) ? bytes : bytes.subarray(2);
      begun.add(channel);
      const stream = channel === DATA ? data : error;
      if (payload.length > 0 && !stream.destroyed && !stream.writableEnded && !stream.write(payload)) {
        channels.pause();
        stream.once('drain', () => channels.resume());
        stream.once('close', () => channels.resume());
      }
    },
    end: (channel) => void (channel === DATA ? data : error).end(),
    close() {
      if (!data.writableEnded) data.end();
      if (!error.writableEnded) error.end();
    },
  });
  data.once('close', () => {
    if (!data.readableEnded) channels.close();
  });
  agent.resume();
  try {
    for await (const chunk of data.iterator({ destroyOnReturn: false })) if (!(await channels.send(DATA, chunk as Buffer))) return;
    await channels.endChannel(DATA);
  } catch {
    channels.close();
  }
}
