import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import { AgentRefusal } from './agent-socket.js';

/** Answers a request that cannot be upgraded after all. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (error instanceof StatusError) return write(socket, error.code, 'application/json', `${JSON.stringify(error.status)}\n`);
  write(socket, error instanceof AgentRefusal ? error.code : 500, 'text/plain; charset=utf-8', errorMessage(error));
}

/** 403 with what the server speaks: the client asked for protocols that it does not. */
export function refuseProtocols(socket: Duplex, accepted: readonly string[]): void {
  write(socket, 403, 'text/plain; charset=utf-8', 'unable to upgrade: unable to negotiate protocol', accepted.map((name) => `X-Accepted-Stream-Protocol-Versions: ${name}\r\n`).join(''));
}

/** Switches a connection to SPDY/3.1. */
export function acceptSpdy(socket: Duplex, protocol: string | undefined): void {
  const version = protocol === undefined ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`);
}

function write(socket: Duplex, code: number, mediaType: string, body: string, headers = ''): void {
  if (socket.destroyed) return;
  socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nContent-Type: ${mediaType}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}
