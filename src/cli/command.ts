import type { FlagName, FlagValues } from './flags.js';

/** Where a command writes; tests give their own. */
export interface CommandIo {
  /** Answers: text, or with `-o json` exactly one JSON document a line. */
  out(text: string): void;
  /** Progress and errors. */
  err(text: string): void;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts on SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Arguments as typed, for starting the program again in the background. */
  readonly argv: readonly string[];
}

/** What a command gets from the command line and the configuration file. */
export interface CommandInput {
  readonly flags: FlagValues;
  /** Words after the command that are no flags; only of commands that take some. */
  readonly operands: readonly string[];
  /** Values for one role from its section of the configuration file, over the common ones. */
  section(role: 'server' | 'scheduler' | 'controllers' | 'node'): FlagValues;
  readonly io: CommandIo;
}

/** One subcommand; its code is loaded only when it is called. */
export interface Command {
  /** `run all`, `status`. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagName[];
  /** Words that it takes beside flags, as help shows them: `IMAGE`. One at least. */
  readonly operands?: string;
  /** Returns the exit code: 0 done, 1 failed, 2 wrong usage. Errors may be thrown as `KubeError`. */
  readonly load: () => Promise<(input: CommandInput) => Promise<number>>;
}
