import { KubeError } from '../../errors.js';
import { COMMAND_FAILED, type RunningCommand } from '../commands.js';
import type { FrameChannel } from './channel.js';
import { Kind, type Frame } from './frames.js';
import { RemoteInput, RemoteOutput } from './remote-streams.js';

const KILLED = 137;

/** A program that the broker runs, as its client sees it. */
export class RemoteCommand implements RunningCommand {
  pid = 0;
  readonly stdin?: RemoteInput;
  readonly stdout: RemoteOutput;
  readonly stderr: RemoteOutput;
  readonly exit: Promise<number>;
  /** Resolves once it was started. */
  readonly started: Promise<void>;
  private resolveStarted!: () => void;
  private rejectStarted!: (error: Error) => void;
  private resolveExit!: (code: number) => void;

  constructor(private readonly channel: FrameChannel, private readonly id: number, stdin: boolean) {
    this.started = new Promise((resolve, reject) => {
      this.resolveStarted = resolve;
      this.rejectStarted = (error) => reject(error);
    });
    this.exit = new Promise((resolve) => (this.resolveExit = resolve));
    if (stdin) {
      this.stdin = new RemoteInput(
        (bytes) => channel.send(Kind.Stdin, id, bytes),
        () => channel.send(Kind.StdinEnd, id),
      );
    }
    this.stdout = this.output(Kind.Stdout);
    this.stderr = this.output(Kind.Stderr);
  }

  resize(columns: number, rows: number): void {
    const payload = Buffer.alloc(4);
    payload.writeUInt16LE(Math.min(columns, 0xffff));
    payload.writeUInt16LE(Math.min(rows, 0xffff), 2);
    this.channel.send(Kind.Resize, this.id, payload);
  }

  kill(signal: NodeJS.Signals): void {
    this.channel.send(Kind.Kill, this.id, Buffer.from(signal));
  }

  /** Takes what the broker says about it; true when it is over. */
  take({ kind, payload }: Frame): boolean {
    switch (kind) {
      case Kind.Started:
        this.pid = payload.readUInt32LE();
        this.resolveStarted();
        return false;
      case Kind.Failed:
        this.rejectStarted(new KubeError(COMMAND_FAILED, payload.toString()));
        this.end(KILLED);
        return true;
      case Kind.Stdout:
        this.stdout.receive(payload);
        return false;
      case Kind.Stderr:
        this.stderr.receive(payload);
        return false;
      case Kind.StdoutEnd:
        this.stdout.finish();
        return false;
      case Kind.StderrEnd:
        this.stderr.finish();
        return false;
      case Kind.Grant:
        this.stdin?.granted(payload.readUInt32LE(1));
        return false;
      case Kind.Exit:
        this.end(payload.readInt32LE());
        return true;
      default:
        return false;
    }
  }

  /** The broker is gone, and what it ran with it. */
  lost(reason: string): void {
    this.rejectStarted(new KubeError(COMMAND_FAILED, reason));
    if (!this.stderr.readableEnded) this.stderr.receive(Buffer.from(`${reason}\n`));
    this.end(KILLED);
  }

  private end(code: number): void {
    this.stdout.finish();
    this.stderr.finish();
    this.stdin?.finish();
    this.resolveExit(code);
  }

  private output(stream: Kind.Stdout | Kind.Stderr): RemoteOutput {
    return new RemoteOutput(
      (bytes) => this.channel.grant(this.id, stream, bytes),
      () => this.channel.send(Kind.Abandon, this.id, Buffer.from([stream])),
    );
  }
}
