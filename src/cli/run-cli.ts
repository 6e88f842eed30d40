import { errorCode, errorMessage, KubeError } from '../base/errors.js';
import { tellParent } from '../base/process/detached.js';
import { VERSION } from '../run/index.js';
import type { CommandInput, CommandIo } from './command.js';
import { COMMANDS } from './commands/index.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { parseArguments, UsageError, withDefaults } from './parse.js';

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. Never throws. */
export async function runCli(io: CommandIo): Promise<number> {
  try {
    const parsed = await parseArguments(io.argv, COMMANDS, VERSION);
    if (parsed.type === 'text') {
      io.out(parsed.text);
      return 0;
    }
    const { command, given, operands } = parsed;
    const file: ConfigFile = given.config ? await readConfigFile(given.config, command.flags) : { common: {}, sections: {} };
    const input: CommandInput = {
      flags: withDefaults(command.flags, { ...file.common, ...given }),
      operands,
      section: (role) => withDefaults(command.flags, { ...file.common, ...file.sections[role], ...given }),
      io,
    };
    return await (await command.load())(input);
  } catch (error) {
    const exitCode = error instanceof UsageError || errorCode(error) === 'KUBE_ADMISSION_PLUGIN' ? 2 : 1;
    const message = explain(error);
    io.err(`kube: ${message}`);
    const code = errorCode(error) ?? 'KUBE_INTERNAL';
    if (wantsJson(io.argv)) io.out(JSON.stringify({ event: 'error', message, code }));
    await tellParent({ type: 'failed', message, code: error instanceof KubeError ? error.code : 'KUBE_START_FAILED', exitCode });
    return exitCode;
  }
}

function explain(error: unknown): string {
  if (error instanceof KubeError) return error.message;
  const code = errorCode(error);
  // A system error's own message names the call and the path; anything else is a bug, whose place we want to see.
  if (code !== undefined && !(error instanceof TypeError)) return errorMessage(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function wantsJson(argv: readonly string[]): boolean {
  return argv.some((argument, i) => /^(-o|--output)=?json$/.test(argument) || ((argument === '-o' || argument === '--output') && argv[i + 1] === 'json'));
}
