import { connectivityState, Metadata, type CallOptions, type Client, type ServiceError } from '@grpc/grpc-js';
import type { CancelTimer, Clock } from '../../../base/clock.js';
import { EtcdCallError, GRPC } from '../call-error.js';
import type { EtcdLocation } from '../options.js';
import { createClient } from './client.js';

/** The library waits without end for a server that neither accepts nor refuses: after so long without a connection it begins anew. */
const CONNECT_MILLISECONDS = 5_000;
/** In the library's words: the call has not left this process, or the server has not looked at it and never will. */
const UNSENT = /^(No connection established|Name resolution failed|Channel closed before call started|Failed to start HTTP\/2 stream|Stream refused by server)/;
const CLOSED = 'the connection was closed';
const NO_OPTIONS: CallOptions = {};
const asIs = (bytes: Buffer): Buffer => bytes;

/** How a call failed, in the library's words. */
type CallFailure = Pick<ServiceError, 'code' | 'details'> & { readonly message?: string };

/** What comes of a call. Nothing is called once it was canceled. */
export interface CallEvents {
  onMessage(message: Buffer): void;
  /** Called once, at the end; `error` is absent when the server says that all is well. */
  onDone(error: EtcdCallError | undefined): void;
}

/** A call under way. */
export interface GrpcCall {
  /** False: it has not left this process. */
  readonly isSent: boolean;
  /** Sends one more message. */
  write(message: Buffer): void;
  cancel(): void;
}

/** gRPC to one server: connects when it is needed, and again when the connection is lost. */
export class GrpcChannel {
  private client: Client;
  private connected = false;
  /** How many were made. */
  private connections = 0;
  private cancelTimer: CancelTimer | undefined;
  /** Ends each of the calls under way. */
  private readonly underWay = new Set<() => void>();
  private closed = false;
  private metadata = new Metadata();
  private token: string | undefined;

  constructor(
    readonly url: string,
    private readonly location: EtcdLocation,
    private readonly clock: Clock,
  ) {
    this.client = this.open();
  }

  /** Begins a call with its first message; `last`: there are no others, and one answer. */
  begin(method: string, token: string | undefined, message: Buffer, last: boolean, { onMessage, onDone }: CallEvents): GrpcCall {
    // It goes over the connection that is there, or over the next one.
    const unsentAt = this.connected ? this.connections - 1 : this.connections;
    const isSent = (): boolean => this.connections > unsentAt;
    let over = false;
    const done = (error: EtcdCallError | undefined): void => {
      if (over) return;
      over = true;
      this.underWay.delete(end);
      onDone(error);
    };
    const failed = (error: CallFailure): void => {
      if (!over) done(this.errorOf(error, isSent()));
    };
    const received = (answer: Buffer): void => {
      if (!over) onMessage(answer);
    };
    const call = this.start(method, token, message, last, received, done, failed);
    const end = (): void => {
      call?.cancel();
      done(new EtcdCallError(GRPC.unavailable, CLOSED, this.url, !isSent()));
    };
    this.underWay.add(end);
    if (!call) process.nextTick(end);
    return {
      get isSent() {
        return isSent();
      },
      write: (more) => call?.write(more),
      cancel: () => {
        over = true;
        this.underWay.delete(end);
        call?.cancel();
      },
    };
  }

  /** A call with one message and one answer. Throws {@link EtcdCallError}. */
  unary(method: string, token: string | undefined, message: Buffer, milliseconds: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer;
      const call = this.begin(method, token, message, true, {
        onMessage: (received) => (answer = received),
        onDone: (error) => {
          cancelTimer();
          if (error) reject(error);
          else resolve(answer);
        },
      });
      const cancelTimer = this.clock.setTimeout(() => {
        call.cancel();
        reject(new EtcdCallError(GRPC.deadlineExceeded, `no answer within ${Math.round(milliseconds / 100) / 10} s`, this.url, !call.isSent));
      }, milliseconds);
    });
  }

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.closed = true;
    this.cancelTimer?.();
    for (const end of [...this.underWay]) end();
    this.connected = false;
    this.client.close();
  }

  /** The library's call; undefined when the channel is closed. */
  private start(
    method: string, token: string | undefined, message: Buffer, last: boolean,
    received: (answer: Buffer) => void, done: (error: undefined) => void, failed: (error: CallFailure) => void,
  ): { write(message: Buffer): void; cancel(): void } | undefined {
    if (this.closed) return undefined;
    const metadata = this.metadataWith(token);
    if (last) {
      // What the client's own calls do beneath their interceptors, of which there are none, and without an error made for each call's stack.
      const call = this.client.getChannel().createCall(method, Infinity, null, null, null);
      let answer: Buffer | undefined;
      call.start(metadata, {
        onReceiveMetadata: () => undefined,
        onReceiveMessage: (message: Buffer) => (answer = message),
        onReceiveStatus: ({ code, details }) => {
          if (code !== GRPC.ok) return failed({ code, details });
          if (!answer) return failed({ code: GRPC.unimplemented, details: 'no message received' });
          received(answer);
          done(undefined);
        },
      });
      call.sendMessageWithContext({}, message);
      call.halfClose();
      call.startRead();
      return { write: () => undefined, cancel: () => call.cancelWithStatus(GRPC.cancelled, 'canceled') };
    }
    const stream = this.client.makeBidiStreamRequest(method, asIs, asIs, metadata, NO_OPTIONS);
    stream.on('data', received);
    stream.on('error', (error) => failed(error as ServiceError));
    stream.on('end', () => done(undefined));
    stream.write(message);
    return stream;
  }

  private open(): Client {
    const client = createClient(this.url, this.location);
    const channel = client.getChannel();
    const follow = (): void => {
      const state = channel.getConnectivityState(false);
      if (state === connectivityState.SHUTDOWN) return;
      this.connected = state === connectivityState.READY;
      if (this.connected) this.connections++;
      if (this.connected || state === connectivityState.IDLE) {
        this.cancelTimer?.();
        this.cancelTimer = undefined;
      } else this.cancelTimer ??= this.clock.setTimeout(() => this.beginAnew(), CONNECT_MILLISECONDS, { unref: true });
      channel.watchConnectivityState(state, Infinity, follow);
    };
    follow();
    return client;
  }

  private beginAnew(): void {
    this.cancelTimer = undefined;
    const { client } = this;
    this.client = this.open();
    client.close();
  }

  private metadataWith(token: string | undefined): Metadata {
    if (token !== this.token) {
      this.metadata = new Metadata();
      if (token !== undefined) this.metadata.set('token', token);
      this.token = token;
    }
    return this.metadata;
  }

  private errorOf({ code, details, message = '' }: CallFailure, sent: boolean): EtcdCallError {
    const reason = details || message;
    return new EtcdCallError(code, readable(reason), this.url, !sent || UNSENT.test(reason));
  }
}

/** Without what only the library's authors need. */
function readable(reason: string): string {
  return reason
    .replace(/^No connection established\. Last error: (Error: )?/, '')
    .replace(/\. Resolution note: *$/, '')
    .replace(/^Channel closed before call started$/, `no connection within ${CONNECT_MILLISECONDS / 1000} s`)
    .replace(/[0-9A-F]{16}:error:[0-9A-F]+:SSL routines:[^:]*:([^:]*):[^\n]*/, '$1')
    .replace(/\s*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)/, '')
    .trim();
}
