import type { Readable, Writable } from 'node:stream';

/** How a program of the host is run. */
export interface CommandOptions {
  /** Written to its stdin, which is then closed; absent: no stdin. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
  /** Its whole environment; default: `PATH` alone. */
  readonly env?: Readonly<Record<string, string>>;
  /** Killed after so many milliseconds; the result then says `timedOut`. Default: never. */
  readonly timeoutMilliseconds?: number;
  /** Most bytes of each of stdout and stderr that are kept; what comes after is dropped. Default 16 MiB. */
  readonly maxOutputBytes?: number;
  /** Kills it (SIGKILL) when it aborts; the result then says code 137. */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface CommandResult {
  /** Exit code; 128 + the signal's number when a signal ended it. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
}

/** How a program with streams is started. */
export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Give it a stdin; otherwise it reads nothing. */
  readonly stdin: boolean;
  /** Its streams are pipes; otherwise they may be sockets, which a program cannot open anew as `/dev/stdout`. */
  readonly pipes?: boolean;
  /** Runs it on a terminal of this size: stdout and stderr are one then, and the end of stdin is not told. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

/** A running program. Streams apply backpressure; a program that writes to one that was destroyed gets a broken pipe. */
export interface RunningCommand {
  readonly pid: number;
  readonly stdin?: Writable;
  readonly stdout: Readable;
  /** Ends at once on a terminal. */
  readonly stderr: Readable;
  /** Resolves with the exit code (128 + signal) once it has ended and its output was handed over; never rejects. */
  readonly exit: Promise<number>;
  /** Does nothing without a terminal. */
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Runs programs of the host. Forking a process with a big heap blocks its event loop, so the usual implementation is a small
 * broker process; the contract is the same for one that forks by itself.
 */
export interface Commands {
  /** Runs a program to its end. A code that is not 0 is no error; rejects (`KUBE_COMMAND`) only when it cannot be started. */
  run(program: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Starts a program with streams. Rejects (`KUBE_COMMAND`) when it cannot be started. */
  start(program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand>;
  /** Kills what still runs, and ends itself; further calls reject. Programs that went into the background by themselves go on. */
  close(): Promise<void>;
}

/** Code of errors about programs that could not be started or, with {@link runChecked}, failed. */
export const COMMAND_FAILED = 'KUBE_COMMAND';
