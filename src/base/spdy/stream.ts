import { Duplex } from 'node:stream';
import type { SpdyHeaders } from './header-block.js';

/** What a stream needs of its connection. */
export interface StreamSink {
  /** Calls back once the bytes were handed to the transport. */
  sendData(streamId: number, payload: Buffer, fin: boolean, done: (error?: Error | null) => void): void;
  sendReset(streamId: number): void;
  /** The reader of a stream is ready for more. */
  resumed(): void;
  forget(stream: SpdyStream): void;
}

/** Bytes in one data frame at most. */
const MAX_DATA = 64 * 1024;

/** One stream of a connection. Ending the writable half sends FIN; both halves may be ended apart. */
export class SpdyStream extends Duplex {
  private remoteEnded = false;
  private localEnded = false;
  private full = false;

  constructor(
    readonly id: number,
    readonly headers: SpdyHeaders,
    private readonly sink: StreamSink,
  ) {
    super({ allowHalfOpen: true });
  }

  /** The first value of a header; empty when there is none. */
  header(name: string): string {
    return this.headers.get(name.toLowerCase())?.[0] ?? '';
  }

  /** Data came from the peer; false when the reader falls behind: told once, until {@link StreamSink.resumed}. */
  receive(payload: Buffer, fin: boolean): boolean {
    if (this.remoteEnded || this.destroyed) return true;
    const ready = payload.length === 0 || this.push(payload);
    if (fin) {
      this.remoteEnd();
      return true;
    }
    // Frames that came in the same chunk are taken although the reader is behind already.
    if (ready || this.full) return true;
    this.full = true;
    return false;
  }

  /** The peer sends no more. */
  remoteEnd(): void {
    if (this.remoteEnded) return;
    this.remoteEnded = true;
    this.push(null);
    // Nobody asks an ended stream for more, and it must not hold up the others.
    this.release();
    this.maybeForget();
  }

  override _read(): void {
    this.release();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    const send = (at: number): void => {
      const piece = chunk.subarray(at, at + MAX_DATA);
      const last = at + piece.length >= chunk.length;
      this.sink.sendData(this.id, piece, false, (error) => (error || last ? callback(error) : send(at + piece.length)));
    };
    send(0);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.localEnded = true;
    this.sink.sendData(this.id, Buffer.alloc(0), true, callback);
    this.maybeForget();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!(this.remoteEnded && this.localEnded)) this.sink.sendReset(this.id);
    this.sink.forget(this);
    this.release();
    callback(error);
  }

  private release(): void {
    if (!this.full) return;
    this.full = false;
    this.sink.resumed();
  }

  private maybeForget(): void {
    if (this.remoteEnded && this.localEnded) this.sink.forget(this);
  }
}
