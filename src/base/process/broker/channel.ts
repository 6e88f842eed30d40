import type { Socket } from 'node:net';
import { CHUNK, frameHeader, FrameReader, grantPayload, Kind, type Frame } from './frames.js';

/** Frames over a socket. What is sent in one turn of the event loop goes out in one write. */
export class FrameChannel {
  private corked = false;

  constructor(private readonly socket: Socket, take: (frame: Frame) => void) {
    const reader = new FrameReader(take);
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    // The other side is gone: whoever owns the socket learns that from `close`.
    socket.on('error', () => undefined);
  }

  send(kind: Kind, command: number, payload: Buffer = Buffer.alloc(0)): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (!this.corked) {
      this.corked = true;
      this.socket.cork();
      process.nextTick(() => {
        this.corked = false;
        this.socket.uncork();
      });
    }
    this.socket.write(frameHeader(kind, command, payload.length));
    if (payload.length > 0) this.socket.write(payload);
  }

  /** Sends bytes of a stream. */
  sendData(kind: Kind, command: number, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += CHUNK) this.send(kind, command, bytes.subarray(at, at + CHUNK));
  }

  grant(command: number, stream: Kind, bytes: number): void {
    this.send(Kind.Grant, command, grantPayload(stream, bytes));
  }
}
