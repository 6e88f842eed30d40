import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { KubeError } from '../errors.js';
import { COMMAND_FAILED, type CommandOptions, type CommandResult, type Commands, type RunningCommand, type StartOptions } from './commands.js';

const DEFAULT_OUTPUT = 16 * 1024 * 1024;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs programs by forking this process. Terminals need the broker's native addon: see `pseudo-terminal.ts`. */
export function directCommands(): Commands {
  return new DirectCommands();
}

/** The environment of programs for which nothing else was said. */
export function defaultEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? DEFAULT_PATH };
}

class DirectCommands implements Commands {
  private readonly children = new Set<{ kill(signal: NodeJS.Signals): unknown }>();

  run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? defaultEnvironment(), stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], ...(options.signal ? { signal: options.signal } : {}) });
      this.children.add(child);
      const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT;
      const stdout = collect(child.stdout!, limit);
      const stderr = collect(child.stderr!, limit);
      let timedOut = false;
      const timer = options.timeoutMilliseconds === undefined ? undefined : setTimeout(() => {
        timedOut = true;
        child.kill('SIGKILL');
      }, options.timeoutMilliseconds);
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.children.delete(child);
        clearTimeout(timer);
        reject(new KubeError(COMMAND_FAILED, `cannot run ${program}: ${error.message}`, { cause: error }));
      });
      child.once('close', (code, signal) => {
        this.children.delete(child);
        clearTimeout(timer);
        resolve({ code: exitCode(code, signal), stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), timedOut });
      });
      if (options.input !== undefined) {
        // A program that does not read its input to the end is no failure of ours.
        child.stdin!.on('error', () => undefined);
        child.stdin!.end(options.input);
      }
    });
  }

  async start(program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand> {
    if (options.terminal) {
      const { startOnTerminal } = await import('./pseudo-terminal.js');
      const running = startOnTerminal(program, args, { ...options, env: options.env ?? defaultEnvironment(), terminal: options.terminal });
      this.children.add(running);
      void running.exit.then(() => this.children.delete(running));
      return running;
    }
    const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? defaultEnvironment(), stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new KubeError(COMMAND_FAILED, `cannot run ${program}: ${error.message}`, { cause: error })));
    });
    child.on('error', () => undefined);
    this.children.add(child);
    return running(child, () => this.children.delete(child));
  }

  close(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    return Promise.resolve();
  }
}

function running(child: ChildProcess, ended: () => void): RunningCommand {
  const stdin: Writable | null = child.stdin;
  stdin?.on('error', () => undefined);
  return {
    pid: child.pid!,
    ...(stdin ? { stdin } : {}),
    stdout: child.stdout!.pipe(new PassThrough()),
    stderr: child.stderr!.pipe(new PassThrough()),
    exit: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        ended();
        resolve(exitCode(code, signal));
      });
    }),
    resize: () => undefined,
    kill: (signal) => void child.kill(signal),
  };
}

/** The shell's way to say how a process ended. */
export function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

function collect(stream: Readable, limit: number): Buffer[] {
  const chunks: Buffer[] = [];
  let left = limit;
  stream.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    chunks.push(left >= chunk.length ? chunk : chunk.subarray(0, left));
    left -= chunk.length;
  });
  return chunks;
}
