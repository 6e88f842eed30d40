import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { ApiResponse } from '../handler/api-request.js';

/** Sub-protocols for streams of bytes; without one bytes are sent as they are. */
const BYTE_PROTOCOLS: readonly string[] = ['binary.k8s.io', 'base64.binary.k8s.io'];
const NEWLINE = 0x0a;

/** Whether an answer can be given through a WebSocket: streams of bytes (logs) and watches can. */
export function fitsWebSocket(request: IncomingMessage, answer: ApiResponse): answer is Extract<ApiResponse, { type: 'stream' | 'watch' }> {
  return (request.headers.upgrade ?? '').toLowerCase() === 'websocket' && (answer.type === 'stream' || answer.type === 'watch');
}

/** Gives the answer: a stream as messages after an empty one, a watch as one message for each event. */
export function serveOverWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer, answer: Extract<ApiResponse, { type: 'stream' | 'watch' }>): void {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1 << 16, handleProtocols: (offered) => BYTE_PROTOCOLS.find((name) => offered.has(name)) ?? false });
  server.handleUpgrade(request, socket, head, (client) => {
    client.on('error', () => client.terminate());
    const done = answer.type === 'watch' ? sendWatch(client, answer.stream) : sendChunks(client, answer.chunks);
    done.then(
      () => client.close(1000),
      () => client.close(1011),
    );
  });
}

async function sendChunks(client: WebSocket, chunks: AsyncIterable<Buffer>): Promise<void> {
  const base64 = client.protocol.startsWith('base64.');
  // Clients wait for it to know that the stream began.
  await send(client, Buffer.alloc(0), !base64);
  for await (const chunk of chunks) {
    if (client.readyState !== WebSocket.OPEN) return;
    await send(client, base64 ? Buffer.from(chunk.toString('base64')) : chunk, !base64);
  }
}

async function sendWatch(client: WebSocket, stream: Extract<ApiResponse, { type: 'watch' }>['stream']): Promise<void> {
  client.once('close', () => stream.close());
  try {
    for await (const frame of stream.frames()) {
      for (const event of lines(frame)) {
        if (client.readyState !== WebSocket.OPEN) return;
        await send(client, event, false);
      }
    }
  } finally {
    stream.close();
  }
}

/** Events in JSON are lines. */
function* lines(frame: Buffer): Generator<Buffer> {
  for (let start = 0; start < frame.length; ) {
    const end = frame.indexOf(NEWLINE, start);
    if (end < 0) return yield frame.subarray(start);
    if (end > start) yield frame.subarray(start, end);
    start = end + 1;
  }
}

/** Resolves when the message was handed to the connection, so that a slow client slows the source down. */
function send(client: WebSocket, bytes: Buffer, binary: boolean): Promise<void> {
  return new Promise((resolve, reject) => client.send(bytes, { binary }, (error) => (error ? reject(error) : resolve())));
}
