import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { errorMessage } from '../../errors.js';
import type { Commands, RunningCommand } from '../commands.js';
import { directCommands } from '../direct.js';
import { FrameChannel } from './channel.js';
import { Kind, WINDOW, type Frame, type StartRequest } from './frames.js';

/** Descriptor of the socket to the client. */
const CLIENT = 3;
/** So many milliseconds are left to killed programs at the end, to tell their exit codes. */
const LAST_WORDS = 500;

/**
 * The broker: the program of a small process that starts programs for a big one. It ends with the socket to its client, and
 * kills what it has started; programs that went into the background by themselves go on.
 */
function serve(): void {
  process.title = 'kube-broker';
  // Signals to the terminal's process group and to all processes of a service: the client decides when it is over.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const commands = directCommands();
  const sessions = new Map<number, Session>();
  const socket = new Socket({ fd: CLIENT, readable: true, writable: true, allowHalfOpen: true });
  const channel = new FrameChannel(socket, (frame) => {
    if (frame.kind === Kind.Start) sessions.set(frame.command, new Session(frame.command, JSON.parse(frame.payload.toString()) as StartRequest, commands, channel, () => sessions.delete(frame.command)));
    else void sessions.get(frame.command)?.take(frame);
  });
  const end = (): void => {
    void commands.close();
    const last = Promise.all([...sessions.values()].map((session) => session.over));
    setTimeout(() => process.exit(0), LAST_WORDS);
    void last.then(() => socket.end(() => process.exit(0)));
  };
  socket.once('end', end);
  socket.once('close', end);
}

/** One program that runs. */
class Session {
  /** Resolves once its end was told. */
  readonly over: Promise<void>;
  private readonly running: Promise<RunningCommand | undefined>;
  private readonly outputs = new Map<Kind, WindowedOutput>();

  constructor(private readonly command: number, request: StartRequest, commands: Commands, private readonly channel: FrameChannel, ended: () => void) {
    this.running = commands.start(request.program, request.args, request).catch((error: unknown) => {
      channel.send(Kind.Failed, command, Buffer.from(errorMessage(error)));
      return undefined;
    });
    this.over = this.relay().finally(ended);
  }

  /** Frames wait for the program's start, and stay in order. */
  async take(frame: Frame): Promise<void> {
    const running = await this.running;
    if (!running) return;
    const { payload } = frame;
    switch (frame.kind) {
      case Kind.Stdin:
        running.stdin?.write(payload, () => this.channel.grant(this.command, Kind.Stdin, payload.length));
        return;
      case Kind.StdinEnd:
        running.stdin?.end();
        return;
      case Kind.Kill:
        return running.kill(payload.toString() as NodeJS.Signals);
      case Kind.Resize:
        return running.resize(payload.readUInt16LE(), payload.readUInt16LE(2));
      case Kind.Abandon:
        (payload.readUInt8() === Number(Kind.Stdout) ? running.stdout : running.stderr).destroy();
        return;
      case Kind.Grant:
        this.outputs.get(payload.readUInt8())?.grant(payload.readUInt32LE(1));
        return;
      default:
    }
  }

  private async relay(): Promise<void> {
    const running = await this.running;
    if (!running) return;
    const pid = Buffer.alloc(4);
    pid.writeUInt32LE(running.pid);
    this.channel.send(Kind.Started, this.command, pid);
    this.outputs.set(Kind.Stdout, new WindowedOutput(running.stdout, (bytes) => this.channel.sendData(Kind.Stdout, this.command, bytes), () => this.channel.send(Kind.StdoutEnd, this.command)));
    this.outputs.set(Kind.Stderr, new WindowedOutput(running.stderr, (bytes) => this.channel.sendData(Kind.Stderr, this.command, bytes), () => this.channel.send(Kind.StderrEnd, this.command)));
    const [code] = await Promise.all([running.exit, ...[...this.outputs.values()].map((output) => output.ended)]);
    const payload = Buffer.alloc(4);
    payload.writeInt32LE(code);
    this.channel.send(Kind.Exit, this.command, payload);
  }
}

/** Sends what a stream gives, as far as the other side has granted. */
class WindowedOutput {
  readonly ended: Promise<void>;
  private window = WINDOW;

  constructor(private readonly source: Readable, send: (bytes: Buffer) => void, end: () => void) {
    source.on('data', (chunk: Buffer) => {
      send(chunk);
      this.window -= chunk.length;
      if (this.window <= 0) source.pause();
    });
    this.ended = new Promise((resolve) => {
      source.once('close', () => {
        end();
        resolve();
      });
    });
  }

  grant(bytes: number): void {
    this.window += bytes;
    if (this.window > 0) this.source.resume();
  }
}

serve();
