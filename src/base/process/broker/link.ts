import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { KubeError } from '../../errors.js';
import { COMMAND_FAILED } from '../commands.js';
import { FrameChannel } from './channel.js';
import { Kind, type StartRequest } from './frames.js';
import { RemoteCommand } from './remote-command.js';

/**
 * Enough for the windows of a hundred commands. Nothing in it is worth compiling: without the compiler it has 17 MB of its own after
 * 500 commands and 50 MB of output, 30 MB with it. (WebAssembly is named because V8 would complain about leaving it out.)
 */
const V8_FLAGS = ['--max-old-space-size=64', '--max-semi-space-size=1', '--jitless', '--no-expose-wasm'];

/** One broker process and the commands that it runs. An idle one does not keep this process alive. */
export class BrokerLink {
  private readonly commands = new Map<number, RemoteCommand>();
  private readonly channel: FrameChannel;
  private readonly socket: Socket;
  private readonly ended: Promise<void>;
  private next = 1;
  private dead = false;
  private closing = false;

  private constructor(private readonly child: ChildProcess) {
    this.socket = child.stdio[3] as Socket;
    this.channel = new FrameChannel(this.socket, (frame) => {
      if (this.commands.get(frame.command)?.take(frame)) this.remove(frame.command);
    });
    this.ended = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.dead = true;
        for (const command of this.commands.values()) command.lost(this.closing ? 'the broker of commands was closed' : 'the broker of commands ended unexpectedly');
        this.commands.clear();
        this.keepAlive(false);
        resolve();
      });
    });
    this.keepAlive(false);
  }

  /** Starts a broker whose program is `source`. Rejects with `KUBE_COMMAND` when that is impossible. */
  static async open(source: string, moduleUrl: string): Promise<BrokerLink> {
    // The program comes through stdin, so that it needs no file. It leads a session of its own: Ctrl-C is the client's affair.
    const child = spawn(process.execPath, [...V8_FLAGS, '-', moduleUrl], {
      detached: true, env: { PATH: process.env.PATH ?? '', UV_THREADPOOL_SIZE: '2' }, stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new KubeError(COMMAND_FAILED, `cannot start the broker of commands: ${error.message}`, { cause: error })));
    });
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(source);
    return new BrokerLink(child);
  }

  /** It can take commands. */
  get alive(): boolean {
    return !this.dead && !this.closing;
  }

  get pid(): number {
    return this.child.pid!;
  }

  start(request: StartRequest): RemoteCommand {
    const id = this.next++;
    const command = new RemoteCommand(this.channel, id, request.stdin);
    if (this.commands.size === 0) this.keepAlive(true);
    this.commands.set(id, command);
    this.channel.send(Kind.Start, id, Buffer.from(JSON.stringify(request)));
    return command;
  }

  /** Ends the broker with all that it runs. */
  async close(): Promise<void> {
    this.closing = true;
    this.keepAlive(true);
    this.socket.end();
    await this.ended;
  }

  private remove(id: number): void {
    this.commands.delete(id);
    if (this.commands.size === 0 && !this.closing) this.keepAlive(false);
  }

  private keepAlive(wanted: boolean): void {
    if (wanted) {
      this.child.ref();
      this.socket.ref();
    } else {
      this.child.unref();
      this.socket.unref();
    }
  }
}
