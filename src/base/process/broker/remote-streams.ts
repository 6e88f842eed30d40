import { Readable, Writable } from 'node:stream';
import { CHUNK, WINDOW } from './frames.js';

/** An output of a program that the broker runs: grants as much as its reader has taken. */
export class RemoteOutput extends Readable {
  private taken = 0;

  /** `grant` lets the broker send more; `abandon` is called when the reader gives up before the end. */
  constructor(private readonly grant: (bytes: number) => void, private readonly abandon: () => void) {
    super();
  }

  receive(bytes: Buffer): void {
    if (this.destroyed) return;
    this.taken += bytes.length;
    if (this.push(bytes)) this.grantTaken();
  }

  /** No more comes. */
  finish(): void {
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    this.grantTaken();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded) this.abandon();
    done(error);
  }

  private grantTaken(): void {
    if (this.taken === 0) return;
    const { taken } = this;
    this.taken = 0;
    this.grant(taken);
  }
}

/** The input of a program that the broker runs: sends no more than was granted. Never fails: what nobody reads is dropped. */
export class RemoteInput extends Writable {
  private window = WINDOW;
  private waiting: (() => void) | undefined;
  private over = false;

  constructor(private readonly sendBytes: (bytes: Buffer) => void, private readonly sendEnd: () => void) {
    super();
  }

  granted(bytes: number): void {
    this.window += bytes;
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.();
  }

  /** The program has ended. */
  finish(): void {
    this.over = true;
    this.granted(0);
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let rest = chunk;
    const go = (): void => {
      while (!this.over && rest.length > 0 && this.window > 0) {
        const part = rest.subarray(0, Math.min(CHUNK, this.window));
        rest = rest.subarray(part.length);
        this.window -= part.length;
        this.sendBytes(part);
      }
      if (this.over || rest.length === 0) done();
      else this.waiting = go;
    };
    go();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.over) this.sendEnd();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A program whose input is given up must not wait for it for ever.
    if (!this.over && !this.writableFinished) this.sendEnd();
    this.over = true;
    done(error);
  }
}
