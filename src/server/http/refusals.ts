import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { errorCode } from '../../base/errors.js';
import { endAndLinger } from './linger.js';

const head = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
const BAD_REQUEST = head('400 Bad Request');
const TOO_LARGE = head('431 Request Header Fields Too Large');

/** The last answers of HTTP/1 connections on which something came that is no HTTP. */
export class Refusals {
  /** The newest answer of a connection. */
  private readonly newest = new WeakMap<Duplex, ServerResponse>();
  /** Connections on which nothing is read any more, with what is to be called when more comes. */
  private readonly refused = new WeakMap<Duplex, () => void>();

  constructor(private readonly clock: Clock) {}

  /** A request has come whose answer will be the newest one. */
  begun(socket: Duplex, response: ServerResponse): void {
    this.newest.set(socket, response);
  }

  /** Called for what is no HTTP, and again for each piece that comes after: they are thrown away. */
  refuse(error: Error, socket: Duplex): void {
    const another = this.refused.get(socket);
    if (another) return another();
    const text = errorCode(error) === 'HPE_HEADER_OVERFLOW' ? TOO_LARGE : BAD_REQUEST;
    const response = this.newest.get(socket);
    if (!response || (!response.req.complete && !response.headersSent)) return this.end(socket, text);
    // In the middle of an answer, or twice for one request, it would be taken for something else.
    const last = response.req.complete ? text : '';
    if (response.writableFinished) return this.end(socket, last);
    this.refused.set(socket, () => {
      if (socket.readableEnded) socket.destroy();
    });
    response.once('finish', () => {
      if (response.shouldKeepAlive) this.end(socket, last);
    });
  }

  private end(socket: Duplex, text: string): void {
    if (socket.writable) this.refused.set(socket, endAndLinger(socket, text, this.clock));
    else socket.destroy();
  }
}
