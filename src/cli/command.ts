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
  /** Returns the exit code: 0 done, 1 failed, 2 wrong usage. Errors may be thrown as `KubeError`. */
  readonly load: () => Promise<(input: CommandInput) => Promise<number>>;
}
