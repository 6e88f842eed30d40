import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { KubeError } from '../errors.js';
import { COMMAND_FAILED, type CommandOptions, type CommandResult, type Commands, type RunningCommand, type StartOptions } from './commands.js';
import { OutputCollector } from './output-collector.js';
import { closeQuietly, PipePool, type Pipe } from './pipe-pool.js';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs programs by forking this process. */
export function directCommands(): Commands {
  return new DirectCommands();
}

/** The environment of programs for which nothing else was said. */
export function defaultEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? DEFAULT_PATH };
}

class DirectCommands implements Commands {
  private readonly children = new Set<Child>();
  private readonly pipes = new PipePool();
  private closed = false;

  run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedError(program));
      const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? defaultEnvironment(), stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
      const entry: Child = { kill: () => void child.kill('SIGKILL'), streams: [child.stdout!, child.stderr!] };
      this.children.add(entry);
      const stdout = new OutputCollector(child.stdout!, options.maxOutputBytes);
      const stderr = new OutputCollector(child.stderr!, options.maxOutputBytes);
      let timedOut = false;
      const kill = (): void => void child.kill('SIGKILL');
      const timer = options.timeoutMilliseconds === undefined ? undefined : setTimeout(() => {
        timedOut = true;
        kill();
      }, options.timeoutMilliseconds);
      const over = (): void => {
        this.children.delete(entry);
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', kill);
      };
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        over();
        reject(cannotRun(program, error));
      });
      child.once('close', (code, signal) => {
        over();
        resolve({ code: exitCode(code, signal), stdout: stdout.bytes, stderr: stderr.bytes, timedOut });
      });
      if (options.signal?.aborted) kill();
      options.signal?.addEventListener('abort', kill, { once: true });
      if (options.input !== undefined) {
        // A program that does not read its input to the end is no failure of ours.
        child.stdin!.on('error', () => undefined);
        child.stdin!.end(options.input);
      }
    });
  }

  async start(program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand> {
    if (this.closed) throw closedError(program);
    const running = await this.begin(program, args, options);
    const entry: Child = { kill: () => running.kill('SIGKILL'), streams: [running.stdout, running.stderr] };
    this.children.add(entry);
    void running.exit.then(() => this.children.delete(entry));
    if (this.closed) end(entry);
    return running;
  }

  close(): Promise<void> {
    this.closed = true;
    for (const child of this.children) end(child);
    this.pipes.close();
    return Promise.resolve();
  }

  private async begin(program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand> {
    const env = options.env ?? defaultEnvironment();
    if (options.terminal) {
      const { startOnTerminal } = await import('./pseudo-terminal.js');
      return startOnTerminal(program, args, { ...options, env, terminal: options.terminal });
    }
    const pipes = options.pipes ? await this.takePipes(options.stdin) : undefined;
    const stdin = options.stdin ? 'pipe' : 'ignore';
    const child = spawn(program, args, { cwd: options.cwd, env, stdio: pipes ? [pipes.stdin?.read ?? 'ignore', pipes.stdout.write, pipes.stderr.write] : [stdin, 'pipe', 'pipe'] });
    if (pipes) [pipes.stdin?.read, pipes.stdout.write, pipes.stderr.write].forEach((fd) => fd !== undefined && closeQuietly(fd));
    const streams: Streams = pipes
      ? { ...(pipes.stdin ? { stdin: pipeEnd(pipes.stdin.write, 'write') } : {}), stdout: pipeEnd(pipes.stdout.read, 'read'), stderr: pipeEnd(pipes.stderr.read, 'read') }
      : { ...(child.stdin ? { stdin: child.stdin } : {}), stdout: child.stdout!, stderr: child.stderr! };
    const running = runningCommand(child, streams);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        streams.stdin?.destroy();
        streams.stdout.destroy();
        streams.stderr.destroy();
        reject(cannotRun(program, error));
      });
    });
    return running;
  }

  private async takePipes(stdin: boolean): Promise<{ readonly stdin?: Pipe; readonly stdout: Pipe; readonly stderr: Pipe }> {
    const [stdout, stderr] = [await this.pipes.take('read'), await this.pipes.take('read')];
    return { ...(stdin ? { stdin: await this.pipes.take('write') } : {}), stdout, stderr };
  }
}

interface Child {
  kill(): void;
  readonly streams: readonly Readable[];
}

/** What a killed program has left in the background may hold its streams open for ever. */
function end(child: Child): void {
  child.kill();
  for (const stream of child.streams) stream.destroy();
}

interface Streams {
  readonly stdin?: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

function pipeEnd(fd: number, side: 'read' | 'write'): Socket {
  const socket = new Socket({ fd, readable: side === 'read', writable: side === 'write' });
  socket.on('error', () => undefined);
  return socket;
}

function runningCommand(child: ChildProcess, streams: Streams): RunningCommand {
  const { stdin } = streams;
  stdin?.on('error', () => undefined);
  child.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => child.once('exit', (code, signal) => resolve(exitCode(code, signal))));
  const outputs = [output(streams.stdout), output(streams.stderr)] as const;
  return {
    get pid() {
      return child.pid!;
    },
    ...(stdin ? { stdin } : {}),
    stdout: outputs[0].stream,
    stderr: outputs[1].stream,
    exit: Promise.all([ended, outputs[0].ended, outputs[1].ended]).then(([code]) => {
      stdin?.destroy();
      return code;
    }),
    resize: () => undefined,
    kill: (signal) => void child.kill(signal),
  };
}

/** Node throws away what nobody has read from a child's streams when it exits: this one keeps it. */
function output(source: Readable): { readonly stream: PassThrough; readonly ended: Promise<void> } {
  const stream = new PassThrough();
  const ended = new Promise<void>((resolve) => source.once('close', resolve));
  source.on('error', () => stream.end());
  source.pipe(stream);
  stream.once('close', () => source.destroy());
  return { stream, ended };
}

/** The shell's way to say how a process ended. */
export function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

function cannotRun(program: string, error: Error): KubeError {
  return new KubeError(COMMAND_FAILED, `cannot run ${program}: ${error.message}`, { cause: error });
}

/** What calls after {@link Commands.close} get. */
export function closedError(program: string): KubeError {
  return new KubeError(COMMAND_FAILED, `cannot run ${program}: commands are closed`);
}
