import { DataDirectory, defaultDataDirectory } from '../run/index.js';
import type { CommandInput } from './command.js';
import { UsageError } from './parse.js';
import { parseDuration } from '../base/duration.js';

/** Prints the answer: one JSON document, or what `text` makes of it. */
export function print<T>(input: CommandInput, document: T, text: (document: T) => string): void {
  input.io.out(input.flags.output === 'json' ? JSON.stringify(document) : text(document));
}

/** The data directory that the flags name. */
export function dataDirectory(input: CommandInput): DataDirectory {
  return new DataDirectory(input.flags['data-dir'] ?? defaultDataDirectory(input.io.environment));
}

/** A duration flag in milliseconds. Throws {@link UsageError}. */
export function duration(flag: string, text: string | undefined): number {
  const milliseconds = parseDuration(text ?? '');
  if (milliseconds === undefined || milliseconds < 0) throw new UsageError(`--${flag}: ${JSON.stringify(text)} is not a duration such as 30s, 5m or 1h30m`);
  return milliseconds;
}
