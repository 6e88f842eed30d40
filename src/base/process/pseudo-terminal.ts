import { readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { errorMessage, KubeError } from '../errors.js';
import { COMMAND_FAILED, type RunningCommand } from './commands.js';
import { findProgram } from './find-program.js';

/** After a program's end, what still holds its terminal open is waited for so many milliseconds after its last output, twice. */
const LINGER = 200;

/** A terminal's own buffer, in bytes. */
const REST = 4096;

/** How a program on a terminal is started. */
export interface TerminalOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly terminal: { readonly columns: number; readonly rows: number };
}

/**
 * The native part of node-pty. Its JavaScript part is not used: that one drops output which a slow reader has not taken
 * 200 ms after the program's end.
 */
interface TerminalAddon {
  fork(
    file: string, args: readonly string[], env: readonly string[], cwd: string, columns: number, rows: number, uid: number, gid: number, utf8: boolean, helper: string,
    ended: (code: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number };
  resize(fd: number, columns: number, rows: number): void;
}

/** Starts a program as the leader of a new session on a new terminal. Rejects (`KUBE_COMMAND`) when it cannot be started. */
export async function startOnTerminal(program: string, args: readonly string[], options: TerminalOptions): Promise<RunningCommand> {
  const path = await findProgram(program, options.env);
  const addon = loadAddon();
  const { columns, rows } = options.terminal;
  const stdout = new PassThrough();
  let ended: (() => void) | undefined;
  let code = 0;
  let term: { readonly fd: number; readonly pid: number };
  try {
    const env = Object.entries({ TERM: 'xterm', ...options.env }).map(([name, value]) => `${name}=${value}`);
    term = addon.fork(path, args, env, options.cwd ?? process.cwd(), columns, rows, -1, -1, false, '', (status, signal) => {
      code = signal > 0 ? 128 + signal : status;
      ended?.();
    });
  } catch (error) {
    throw new KubeError(COMMAND_FAILED, `cannot run ${program}: ${errorMessage(error)}`, { cause: error });
  }
  const socket = new ReadStream(term.fd, { allowHalfOpen: true });
  let open = true;
  const hungUp = new Promise<void>((resolve) => {
    // EIO is how Linux says that nobody has the terminal open any more.
    socket.on('error', () => socket.destroy());
    socket.once('end', () => {
      readRest(term.fd, stdout);
      socket.destroy();
    });
    socket.once('close', () => {
      open = false;
      stdout.end();
      resolve();
    });
  });
  socket.pipe(stdout, { end: false });
  stdout.once('close', () => socket.destroy());
  const left = new Promise<void>((resolve) => {
    ended = () => {
      resolve();
      linger(socket, stdout);
    };
  });
  const stderr = new PassThrough();
  stderr.end();
  return {
    pid: term.pid,
    ...(options.stdin ? { stdin: new TerminalInput(socket) } : {}),
    stdout,
    stderr: stderr.resume(),
    exit: Promise.all([left, hungUp]).then(() => code),
    resize: (width, height) => {
      if (open && width > 0 && height > 0) addon.resize(term.fd, width, height);
    },
    kill: (signal) => {
      try {
        process.kill(term.pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    },
  };
}

/**
 * Reads what a terminal that was hung up still holds. The event loop's library reports an end after the first read that did not fill
 * its buffer, and a terminal gives at most 4 KiB at once. It does not wait: the terminal is not blocking, and what it has is in memory.
 */
function readRest(fd: number, stdout: PassThrough): void {
  const buffer = Buffer.allocUnsafe(REST);
  try {
    for (let length = readSync(fd, buffer); length > 0; length = readSync(fd, buffer)) stdout.write(Buffer.from(buffer.subarray(0, length)));
  } catch {
    // EIO: nothing is left.
  }
}

/** Closes the terminal once nothing has come for a while and nobody has to take what came. */
function linger(socket: ReadStream, stdout: PassThrough): void {
  let timer: NodeJS.Timeout | undefined;
  let chunks = 0;
  let quietAt = -1;
  const arm = (): void => {
    clearTimeout(timer);
    // What is closed stays paused for ever: looking again would never end.
    if (!socket.destroyed) timer = setTimeout(look, LINGER);
  };
  const busy = (): boolean => stdout.writableNeedDrain || socket.isPaused();
  const look = (): void => {
    if (busy()) return arm();
    // A busy machine may run this before it has read what has been there for long: two rounds of the event loop read all of it.
    setImmediate(() =>
      setImmediate(() => {
        const quiet = quietAt === chunks && !busy();
        quietAt = chunks;
        if (quiet) socket.destroy();
        else arm();
      }),
    );
  };
  socket.on('data', () => {
    chunks++;
    arm();
  });
  socket.once('close', () => clearTimeout(timer));
  arm();
}

/** The end of the input of a terminal is a key that somebody presses, not a state: ending this does nothing. */
class TerminalInput extends Writable {
  constructor(private readonly socket: ReadStream) {
    super();
    socket.once('close', () => this.destroy());
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.socket.destroyed) return done();
    this.socket.write(chunk, () => done());
  }
}

function loadAddon(): TerminalAddon {
  const require = createRequire(import.meta.url);
  try {
    return createRequire(require.resolve('@lydell/node-pty'))(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`) as TerminalAddon;
  } catch (error) {
    throw new KubeError(COMMAND_FAILED, `no terminals on ${process.platform} ${process.arch}: ${errorMessage(error)}`, { cause: error });
  }
}
