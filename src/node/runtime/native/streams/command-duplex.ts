import { Duplex } from 'node:stream';
import type { RunningCommand } from '../../../../base/process/commands.js';

/** A program's stdout and stdin as one connection, of which each side can be closed alone. Destroying it kills the program. */
export class CommandDuplex extends Duplex {
  constructor(private readonly running: RunningCommand) {
    // With autoDestroy a reader that iterates would, at the end of what it reads, take away the other side too.
    super({ allowHalfOpen: true, autoDestroy: false });
    const { stdout } = running;
    stdout.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stdout.pause();
    });
    stdout.once('end', () => this.push(null));
    // A program that was killed leaves its output without an end.
    stdout.once('close', () => !this.readableEnded && !this.destroyed && this.push(null));
    const ended = new Promise((resolve) => this.once('end', resolve));
    const finished = new Promise((resolve) => this.once('finish', resolve));
    void Promise.all([ended, finished, running.exit]).then(() => this.destroy());
    void running.exit.then(() => this.finish());
  }

  override _read(): void {
    this.running.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const stdin = this.running.stdin!;
    // Whoever is not there any more needs no data.
    if (stdin.destroyed || stdin.writableEnded) return done();
    stdin.write(chunk, () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.running.stdin!.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.running.kill('SIGKILL');
    this.running.stdout.destroy();
    done(error);
  }

  private finish(): void {
    if (!this.destroyed) this.end();
  }
}
