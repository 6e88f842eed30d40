import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { controlFrame, dataFrameHead, FLAG_FIN, FRAME, FrameReader, type Frame } from './frames.js';
import { HeaderBlockReader, HeaderBlockWriter, type SpdyHeaders } from './header-block.js';
import { SpdyStream, type StreamSink } from './stream.js';

/** Reset status codes. */
const CANCEL = 5;
const PROTOCOL_ERROR = 1;

/**
 * One end of a SPDY/3.1 connection over a byte stream. It emits `stream` (a {@link SpdyStream}, already answered) for
 * each stream of the peer and `close` once, with the error if there was one. Window sizes are ignored in both
 * directions: the clients that still speak SPDY never send updates, and the byte stream below has its own backpressure.
 */
export class SpdyConnection extends EventEmitter implements StreamSink {
  private readonly frames = new FrameReader();
  private readonly reader = new HeaderBlockReader();
  private readonly writer = new HeaderBlockWriter();
  private readonly streams = new Map<number, SpdyStream>();
  private work: Promise<void> = Promise.resolve();
  private nextId: number;
  private paused = 0;
  private closed = false;

  /** `head` are bytes that were read before. A server opens even streams, a client odd ones. */
  constructor(
    private readonly transport: Duplex,
    side: 'server' | 'client',
    head: Buffer = Buffer.alloc(0),
  ) {
    super();
    this.nextId = side === 'server' ? 2 : 1;
    if (head.length > 0) this.take(head);
    transport.on('data', (chunk: Buffer) => this.take(chunk));
    // Frames that have come are handled first.
    const end = (): void => void (this.work = this.work.then(() => this.finish()));
    transport.once('end', end);
    transport.once('close', end);
    transport.on('error', (error) => this.finish(error));
  }

  /** Opens a stream to the peer. */
  open(headers: SpdyHeaders): SpdyStream {
    const id = this.nextId;
    this.nextId += 2;
    const stream = new SpdyStream(id, headers, this);
    this.streams.set(id, stream);
    const head = Buffer.alloc(10);
    head.writeUInt32BE(id);
    this.transport.write(controlFrame(FRAME.synStream, 0, Buffer.concat([head, this.writer.encode(headers)])));
    return stream;
  }

  /** Says goodbye and closes the transport once everything is written. */
  close(): void {
    if (this.closed) return;
    this.transport.write(controlFrame(FRAME.goAway, 0, Buffer.alloc(8)));
    this.transport.end();
    this.finish();
  }

  sendData(streamId: number, payload: Buffer, fin: boolean, done: (error?: Error | null) => void): void {
    if (this.closed) return done(fin ? null : new Error('the SPDY connection is closed'));
    this.transport.cork();
    this.transport.write(dataFrameHead(streamId, fin ? FLAG_FIN : 0, payload.length));
    this.transport.write(payload, (error) => done(error ?? null));
    this.transport.uncork();
  }

  sendReset(streamId: number): void {
    this.reset(streamId, CANCEL);
  }

  resumed(): void {
    this.paused = Math.max(0, this.paused - 1);
    if (this.paused === 0) this.transport.resume();
  }

  forget(stream: SpdyStream): void {
    if (this.streams.get(stream.id) === stream) this.streams.delete(stream.id);
  }

  private take(chunk: Buffer): void {
    // Header blocks are inflated one after the other, so frames behind one wait for it.
    for (const frame of this.frames.push(chunk)) {
      this.work = this.work.then(() => this.handle(frame)).catch((error: unknown) => this.finish(error instanceof Error ? error : new Error(String(error))));
    }
  }

  private async handle(frame: Frame): Promise<void> {
    if (this.closed) return;
    if (frame.kind === 'data') return this.data(frame.streamId, frame.payload, (frame.flags & FLAG_FIN) !== 0);
    const { payload } = frame;
    switch (frame.type) {
      case FRAME.synStream: {
        const headers = await this.reader.decode(payload.subarray(10));
        this.accept(payload.readUInt32BE(0) & 0x7fffffff, headers, (frame.flags & FLAG_FIN) !== 0);
        return;
      }
      case FRAME.synReply:
      case FRAME.headers:
        // Decoded for the compression state alone.
        await this.reader.decode(payload.subarray(4));
        if ((frame.flags & FLAG_FIN) !== 0) this.data(payload.readUInt32BE(0) & 0x7fffffff, Buffer.alloc(0), true);
        return;
      case FRAME.rstStream: {
        const stream = this.streams.get(payload.readUInt32BE(0) & 0x7fffffff);
        if (stream) {
          this.streams.delete(stream.id);
          stream.remoteEnd();
          stream.destroy();
        }
        return;
      }
      case FRAME.ping:
        this.transport.write(controlFrame(FRAME.ping, 0, payload));
        return;
      case FRAME.goAway:
        this.emit('goaway');
        return;
      default:
    }
  }

  private accept(id: number, headers: SpdyHeaders, fin: boolean): void {
    if (this.streams.has(id)) return this.reset(id, PROTOCOL_ERROR);
    const stream = new SpdyStream(id, headers, this);
    this.streams.set(id, stream);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(id);
    this.transport.write(controlFrame(FRAME.synReply, 0, Buffer.concat([head, this.writer.encode(new Map())])));
    if (fin) stream.remoteEnd();
    this.emit('stream', stream);
  }

  private data(id: number, payload: Buffer, fin: boolean): void {
    const stream = this.streams.get(id);
    if (!stream || stream.receive(payload, fin)) return;
    this.paused += 1;
    this.transport.pause();
  }

  private reset(id: number, status: number): void {
    if (this.closed) return;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(id);
    payload.writeUInt32BE(status, 4);
    this.transport.write(controlFrame(FRAME.rstStream, 0, payload));
  }

  private finish(error?: Error): void {
    if (this.closed) return;
    this.closed = true;
    this.reader.close();
    // What has come may still be read; only a failure takes it away.
    for (const stream of [...this.streams.values()]) {
      stream.remoteEnd();
      if (error) stream.destroy();
      else if (!stream.writableEnded) stream.end();
    }
    this.streams.clear();
    if (error) this.transport.destroy();
    this.emit('close', error);
  }
}
