import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { authorityOf, type NodeEndpoint } from './node-endpoint.js';

/** The agent did not open the stream; what it said goes to the client as it is. */
export class AgentRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'AgentRefusal';
  }
}

/** How long an agent may take to open a stream. */
const HANDSHAKE_MILLISECONDS = 30_000;

/** Opens a WebSocket with channels to an agent, paused so that nothing is lost before somebody listens. Rejects with an {@link AgentRefusal}. */
export function openAgentSocket(endpoint: NodeEndpoint, path: string, query: URLSearchParams): Promise<WebSocket> {
  const url = `wss://${authorityOf(endpoint.host, endpoint.port)}${path}?${query.toString()}`;
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], { ...endpoint.tls, headers: endpoint.headers, handshakeTimeout: HANDSHAKE_MILLISECONDS, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause();
      resolve(socket);
    });
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      const parts: Buffer[] = [];
      response.on('data', (chunk: Buffer) => parts.push(chunk));
      response.once('end', () => reject(new AgentRefusal(response.statusCode ?? 500, Buffer.concat(parts).toString('utf8', 0, 2048))));
      response.once('error', reject);
    });
    socket.once('error', (error) => reject(new AgentRefusal(500, `error dialing backend: ${error.message}`)));
  });
}
