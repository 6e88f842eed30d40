import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import { StatusError } from '../../api/status-error.js';
import { statusErrorOf } from '../registry/store-errors.js';
import { endAndLinger } from './linger.js';
import type { RequestHandler } from './request-handler.js';
import { fitsWebSocket, serveOverWebSocket } from './websocket-answer.js';

/** Hands a connection that wants another protocol to the handler of its path, or refuses it in HTTP. */
export async function serveUpgrade(handler: RequestHandler, log: Logger, clock: Clock, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const response = new ServerResponse(request);
    // Nothing is written by it; but who works for this request learns from it that the client went away.
    socket.once('close', () => response.destroy().emit('close'));
    const answer = await handler.upgrade(request, response, socket, head);
    if (answer.type === 'upgrade') {
      answer.upgrade.handle(request, socket, head);
      return;
    }
    if (fitsWebSocket(request, answer)) {
      serveOverWebSocket(request, socket, head, answer);
      return;
    }
    const body = answer.type === 'bytes' ? answer.bytes : answer.type === 'object' ? Buffer.from(JSON.stringify(answer.object)) : Buffer.from('the path cannot be upgraded\n');
    refuse(socket, clock, answer.type === 'bytes' || answer.type === 'object' ? answer.code : 400, body);
  } catch (error) {
    const { status, code } = statusErrorOf(error);
    if (!(error instanceof StatusError)) log.error('an upgrade failed unexpectedly', { url: request.url, error });
    refuse(socket, clock, code, Buffer.from(`${JSON.stringify(status)}\n`));
  }
}

function refuse(socket: Duplex, clock: Clock, code: number, body: Buffer): void {
  if (socket.destroyed) return;
  const head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  // What the client still sends is nobody's any more.
  socket.on('data', endAndLinger(socket, Buffer.concat([Buffer.from(head), body]), clock));
}
