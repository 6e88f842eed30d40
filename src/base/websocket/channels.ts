import type { WebSocket } from 'ws';
import { messageBytes } from './message-duplex.js';

/** The channel whose messages close another one: `[255, channel]`. */
export const CLOSE_CHANNEL = 255;

/** How the messages of a socket carry channels. */
export interface ChannelCoding {
  /** Text messages: an ASCII digit for the channel, then base64. */
  readonly base64: boolean;
  /** The peer understands messages that close one channel. */
  readonly halfClose: boolean;
}

export interface ChannelHandlers {
  data(channel: number, bytes: Buffer): void;
  /** The peer sends no more on this channel. */
  end(channel: number): void;
  /** The socket is gone; called once. */
  close(): void;
}

/** Several byte channels over one WebSocket: the first byte of each message is the channel. */
export class ChannelSocket {
  private gone = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly coding: ChannelCoding,
    private readonly handlers: ChannelHandlers,
  ) {
    socket.on('message', (data) => this.receive(messageBytes(data)));
    socket.once('close', () => this.finish());
    socket.on('error', () => this.finish());
  }

  /** Resolves once the message was handed to the network. False when the socket is gone. */
  send(channel: number, bytes: Buffer): Promise<boolean> {
    if (this.gone || this.socket.readyState !== this.socket.OPEN) return Promise.resolve(false);
    const message = this.coding.base64 ? String(channel) + bytes.toString('base64') : Buffer.concat([Buffer.from([channel]), bytes]);
    return new Promise((resolve) => this.socket.send(message, (error) => resolve(!error)));
  }

  /** Tells the peer that nothing more comes on the channel, where it understands that. */
  endChannel(channel: number): Promise<boolean> {
    return this.coding.halfClose ? this.send(CLOSE_CHANNEL, Buffer.from([channel])) : Promise.resolve(true);
  }

  /** Stops reading until {@link resume}. */
  pause(): void {
    if (!this.gone) this.socket.pause();
  }

  resume(): void {
    if (!this.gone) this.socket.resume();
  }

  /** Closes after everything sent so far. */
  close(code = 1000, reason = ''): void {
    if (!this.gone) this.socket.close(code, reason);
  }

  private receive(message: Buffer): void {
    if (message.length === 0 || this.gone) return;
    if (this.coding.base64) return this.handlers.data(message[0]! - 0x30, Buffer.from(message.subarray(1).toString('latin1'), 'base64'));
    const channel = message[0]!;
    const bytes = message.subarray(1);
    if (channel === CLOSE_CHANNEL && this.coding.halfClose) {
      if (bytes.length > 0) this.handlers.end(bytes[0]!);
    } else this.handlers.data(channel, bytes);
  }

  private finish(): void {
    if (this.gone) return;
    this.gone = true;
    this.handlers.close();
  }
}
