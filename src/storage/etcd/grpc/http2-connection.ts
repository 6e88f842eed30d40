import type { Socket } from 'node:net';
import type { CancelTimer, Clock } from '../../../base/clock.js';
import { CODE, contentOf, DEFAULT_FRAME_BYTES, FLAG, FRAME, FRAME_HEADER_BYTES, frame, FrameReader, numberFrame, SETTING, settingsFrame, writeFrameHeader, type Frame } from './frames.js';
import { decodeHeaders, type Headers } from './hpack.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const EMPTY = Buffer.alloc(0);
/** What the peer may send before it is told that there is room again: on a stream, and on the connection beyond the usual 65,535 bytes. */
const STREAM_WINDOW = 16 << 20;
const CONNECTION_WINDOW = 64 << 20;
/** It is told so after this much. */
const WINDOW_STEP = 1 << 20;
const DEFAULT_WINDOW = 65_535;
const LAST_STREAM = 2 ** 31 - 1;
/** A peer that is silent for so long while streams are open is asked; etcd refuses clients that ask more often than every 5 s. */
const SILENCE_MILLISECONDS = 10_000;
/** … and has so long to answer. */
const ANSWER_MILLISECONDS = 5_000;
/** Blocks of header fields whose meaning is kept: most answers have the very same ones. */
const KNOWN_BLOCKS = 64;
const KNOWN_BLOCK_BYTES = 128;

/** Why a stream broke off. `unsent`: the peer has not looked at it, and never will. */
export interface StreamFailure {
  readonly unsent: boolean;
  readonly reason: string;
}

/** What happens on a stream; nothing after `onEnd` or `onFail`, nor after it was canceled. */
export interface StreamEvents {
  onHeaders(headers: Headers): void;
  onData(data: Buffer): void;
  onEnd(): void;
  onFail(failure: StreamFailure): void;
}

/** One stream as whoever opened it has it. */
export interface Http2Stream {
  write(data: Buffer): void;
  cancel(): void;
}

class OpenStream implements Http2Stream {
  /** 0: it has not begun. */
  id = 0;
  window = 0;
  received = 0;
  over = false;
  readonly pending: Buffer[] = [];

  constructor(
    private readonly connection: Http2Connection,
    readonly head: Buffer,
    body: Buffer,
    /** Nothing comes after what is there at the start. */
    readonly endsAtOnce: boolean,
    readonly events: StreamEvents,
  ) {
    if (body.length > 0) this.pending.push(body);
  }

  write(data: Buffer): void {
    if (this.over) return;
    this.pending.push(data);
    if (this.id > 0) this.connection.pump(this);
  }

  cancel(): void {
    this.connection.cancel(this);
  }
}

/**
 * The client's side of one HTTP/2 connection (RFC 9113), as far as gRPC to etcd needs it: no pushes, no priorities, and no table of
 * header fields. It exists because Node.js' own client costs several times as much per request, and that is paid with each write.
 */
export class Http2Connection {
  /** Resolves when the peer has shown that it speaks HTTP/2; rejects when the connection ends before. */
  readonly ready: Promise<void>;
  private readonly streams = new Map<number, OpenStream>();
  /** Beyond the number of streams that the peer allows. */
  private readonly waiting: OpenStream[] = [];
  private readonly reader = new FrameReader();
  private readonly blocks = new Map<string, Headers>();
  private readonly unsentBytes: Buffer[] = [];
  private headerBlock: { readonly stream: number; readonly end: boolean; readonly parts: Buffer[] } | undefined;
  private next = 1;
  private window = DEFAULT_WINDOW;
  private received = 0;
  private peerWindow = DEFAULT_WINDOW;
  private peerFrame = DEFAULT_FRAME_BYTES;
  private peerStreams = Infinity;
  private draining = false;
  private closed = false;
  private confirmed: () => void = () => undefined;
  private refused: (error: Error) => void = () => undefined;
  private heard: number;
  private asked = 0;
  private cancelTimer: CancelTimer | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
  ) {
    this.heard = clock.monotonic();
    this.ready = new Promise((resolve, reject) => {
      this.confirmed = resolve;
      this.refused = reject;
    });
    // Whoever waits hears of it; nobody has to.
    this.ready.catch(() => undefined);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.destroy(reasonOf(error)));
    socket.on('close', () => this.destroy('the connection was closed'));
    const settings = settingsFrame([[SETTING.headerTableSize, 0], [SETTING.enablePush, 0], [SETTING.initialWindowSize, STREAM_WINDOW]]);
    this.send(Buffer.concat([PREFACE, settings, numberFrame(FRAME.windowUpdate, 0, CONNECTION_WINDOW)]));
  }

  /** Whether streams can be opened. */
  get isUsable(): boolean {
    return !this.closed && !this.draining;
  }

  /** Opens a stream; `head` are its header fields. Only while {@link isUsable}. */
  open(head: Buffer, body: Buffer, endsAtOnce: boolean, events: StreamEvents): Http2Stream {
    const stream = new OpenStream(this, head, body, endsAtOnce, events);
    if (this.streams.size < this.peerStreams) this.begin(stream);
    else this.waiting.push(stream);
    return stream;
  }

  /** Ends the connection and all its streams. Idempotent. */
  destroy(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelTimer?.();
    this.socket.destroy();
    this.refused(new Error(reason));
    const [open, waiting] = [[...this.streams.values()], this.waiting.splice(0)];
    this.streams.clear();
    for (const stream of open) this.fail(stream, { unsent: false, reason });
    for (const stream of waiting) this.fail(stream, { unsent: true, reason });
  }

  /** Sends what the peer has room for. */
  pump(stream: OpenStream): void {
    const { pending } = stream;
    while (pending.length > 0) {
      const [data] = pending;
      const length = Math.min(data!.length, this.peerFrame, this.window, stream.window);
      if (length <= 0) return;
      const whole = length === data!.length;
      if (whole) pending.shift();
      else pending[0] = data!.subarray(length);
      this.window -= length;
      stream.window -= length;
      this.send(frame(FRAME.data, stream.endsAtOnce && pending.length === 0 ? FLAG.endStream : 0, stream.id, whole ? data! : data!.subarray(0, length)));
    }
  }

  cancel(stream: OpenStream): void {
    if (stream.over) return;
    stream.over = true;
    if (stream.id === 0) {
      const at = this.waiting.indexOf(stream);
      if (at >= 0) this.waiting.splice(at, 1);
      return;
    }
    this.streams.delete(stream.id);
    this.send(numberFrame(FRAME.resetStream, stream.id, CODE.cancel));
    this.goOn();
  }

  private begin(stream: OpenStream): void {
    const { head, pending, endsAtOnce } = stream;
    const id = this.next;
    this.next += 2;
    // Numbers are not used twice: another connection takes over.
    if (this.next > LAST_STREAM) this.draining = true;
    stream.id = id;
    stream.window = this.peerWindow;
    this.streams.set(id, stream);
    if (this.streams.size === 1) this.watchSilence();
    const body = pending.length === 1 ? pending[0]! : EMPTY;
    if (body.length === 0 || body.length > Math.min(this.window, stream.window, this.peerFrame)) {
      this.send(frame(FRAME.headers, FLAG.endHeaders | (endsAtOnce && pending.length === 0 ? FLAG.endStream : 0), id, head));
      this.pump(stream);
      return;
    }
    // The usual case: everything at once.
    pending.pop();
    this.window -= body.length;
    stream.window -= body.length;
    const bytes = Buffer.allocUnsafe(2 * FRAME_HEADER_BYTES + head.length + body.length);
    let at = writeFrameHeader(bytes, 0, head.length, FRAME.headers, FLAG.endHeaders, id);
    at = writeFrameHeader(bytes, at + head.copy(bytes, at), body.length, FRAME.data, endsAtOnce ? FLAG.endStream : 0, id);
    body.copy(bytes, at);
    this.send(bytes);
  }

  /** After a stream has ended. */
  private goOn(): void {
    while (this.isUsable && this.waiting.length > 0 && this.streams.size < this.peerStreams) this.begin(this.waiting.shift()!);
    if (this.draining && this.streams.size === 0) this.destroy('the connection was closed');
  }

  /** What is sent in one turn goes out in one piece. */
  private send(bytes: Buffer): void {
    if (this.closed) return;
    this.unsentBytes.push(bytes);
    if (this.unsentBytes.length > 1) return;
    process.nextTick(() => {
      const parts = this.unsentBytes.splice(0);
      if (!this.closed) this.socket.write(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    });
  }

  private receive(chunk: Buffer): void {
    this.heard = this.clock.monotonic();
    try {
      for (const received of this.reader.read(chunk)) {
        if (this.closed) return;
        this.take(received);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.destroy(error.message);
    }
  }

  private take(received: Frame): void {
    const { type, flags, stream, payload } = received;
    switch (type) {
      case FRAME.data:
        return this.takeData(received);
      case FRAME.headers:
        this.headerBlock = { stream, end: (flags & FLAG.endStream) !== 0, parts: [contentOf(received)] };
        return this.takeHeaders(flags);
      case FRAME.continuation:
        if (this.headerBlock?.stream !== stream) throw new RangeError('header fields go on that have not begun');
        this.headerBlock.parts.push(payload);
        return this.takeHeaders(flags);
      case FRAME.settings:
        return flags & FLAG.ack ? undefined : this.takeSettings(payload);
      case FRAME.ping:
        return flags & FLAG.ack ? undefined : this.send(frame(FRAME.ping, FLAG.ack, 0, payload));
      case FRAME.resetStream:
        return this.takeReset(stream, numberAt(payload, 0));
      case FRAME.goAway:
        return this.takeGoAway(numberAt(payload, 0) & LAST_STREAM, numberAt(payload, 4), payload.subarray(8).toString());
      case FRAME.windowUpdate:
        return this.takeWindow(stream, numberAt(payload, 0) & LAST_STREAM);
      case FRAME.pushPromise:
        throw new RangeError('a push was received that nobody wanted');
    }
  }

  private takeData(received: Frame): void {
    this.received += received.payload.length;
    if (this.received >= WINDOW_STEP) {
      this.send(numberFrame(FRAME.windowUpdate, 0, this.received));
      this.received = 0;
    }
    const stream = this.streams.get(received.stream);
    if (!stream) return;
    const end = (received.flags & FLAG.endStream) !== 0;
    stream.received += received.payload.length;
    if (stream.received >= WINDOW_STEP && !end) {
      this.send(numberFrame(FRAME.windowUpdate, stream.id, stream.received));
      stream.received = 0;
    }
    stream.events.onData(contentOf(received));
    if (end && !stream.over) this.end(stream);
  }

  private takeHeaders(flags: number): void {
    if (!(flags & FLAG.endHeaders)) return;
    const { stream: id, end, parts } = this.headerBlock!;
    this.headerBlock = undefined;
    const stream = this.streams.get(id);
    if (!stream) return;
    stream.events.onHeaders(this.headers(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    if (end && !stream.over) this.end(stream);
  }

  private headers(block: Buffer): Headers {
    if (block.length > KNOWN_BLOCK_BYTES) return decodeHeaders(block);
    const text = block.toString('latin1');
    let headers = this.blocks.get(text);
    if (!headers) {
      headers = decodeHeaders(block);
      if (this.blocks.size < KNOWN_BLOCKS) this.blocks.set(text, headers);
    }
    return headers;
  }

  private end(stream: OpenStream): void {
    stream.over = true;
    this.streams.delete(stream.id);
    // The peer does not want the rest of it.
    if (!stream.endsAtOnce || stream.pending.length > 0) this.send(numberFrame(FRAME.resetStream, stream.id, CODE.cancel));
    stream.events.onEnd();
    this.goOn();
  }

  private fail(stream: OpenStream, failure: StreamFailure): void {
    if (stream.over) return;
    stream.over = true;
    this.streams.delete(stream.id);
    stream.events.onFail(failure);
  }

  private takeReset(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (!stream) return;
    this.fail(stream, { unsent: code === CODE.refusedStream, reason: `the stream was reset with code ${code}` });
    this.goOn();
  }

  private takeGoAway(last: number, code: number, words: string): void {
    this.draining = true;
    const reason = `the server goes away${code === CODE.none ? '' : ` with code ${code}`}${words === '' ? '' : `: ${words}`}`;
    for (const stream of [...this.streams.values()]) if (stream.id > last) this.fail(stream, { unsent: true, reason });
    for (const stream of this.waiting.splice(0)) this.fail(stream, { unsent: true, reason });
    this.goOn();
  }

  private takeSettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      switch (payload.readUInt16BE(at)) {
        case SETTING.maxConcurrentStreams:
          this.peerStreams = value;
          break;
        case SETTING.maxFrameSize:
          this.peerFrame = value;
          break;
        case SETTING.initialWindowSize:
          for (const stream of this.streams.values()) stream.window += value - this.peerWindow;
          this.peerWindow = value;
      }
    }
    this.send(frame(FRAME.settings, FLAG.ack, 0, EMPTY));
    this.confirmed();
    for (const stream of [...this.streams.values()]) this.pump(stream);
    this.goOn();
  }

  private takeWindow(id: number, more: number): void {
    if (id === 0) {
      this.window += more;
      for (const stream of this.streams.values()) if (stream.pending.length > 0) this.pump(stream);
      return;
    }
    const stream = this.streams.get(id);
    if (!stream) return;
    stream.window += more;
    this.pump(stream);
  }

  /** A peer that is gone without a word is noticed while streams are open. */
  private watchSilence(): void {
    if (this.cancelTimer) return;
    const check = (): void => {
      this.cancelTimer = undefined;
      if (this.closed || this.streams.size === 0) return;
      const now = this.clock.monotonic();
      if (this.heard < this.asked) return this.destroy(`no sign of life within ${(SILENCE_MILLISECONDS + ANSWER_MILLISECONDS) / 1000} s`);
      const silent = now - this.heard;
      if (silent < SILENCE_MILLISECONDS) return arm(SILENCE_MILLISECONDS - silent);
      this.asked = now;
      this.send(frame(FRAME.ping, 0, 0, Buffer.alloc(8)));
      arm(ANSWER_MILLISECONDS);
    };
    const arm = (milliseconds: number): void => {
      this.cancelTimer = this.clock.setTimeout(check, milliseconds, { unref: true });
    };
    this.heard = Math.max(this.heard, this.clock.monotonic());
    arm(SILENCE_MILLISECONDS);
  }
}

function numberAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new RangeError('a frame is too short');
  return payload.readUInt32BE(at);
}

function reasonOf(error: Error): string {
  // Several addresses were tried.
  if (error instanceof AggregateError && error.message === '') return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
  return error.message;
}
