import { KubeError } from '../errors.js';
import { COMMAND_FAILED, type CommandOptions, type CommandResult, type Commands } from './commands.js';

/** Runs a program that has to succeed; otherwise throws `KUBE_COMMAND` with what it said on stderr. */
export async function runChecked(commands: Commands, program: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const result = await commands.run(program, args, options);
  if (result.code === 0 && !result.timedOut) return result;
  const said = (result.stderr.toString().trim() || result.stdout.toString().trim()).slice(0, 2000);
  const how = result.timedOut ? `did not end within ${options.timeoutMilliseconds} ms` : `exit code ${result.code}`;
  throw new KubeError(COMMAND_FAILED, `${program.slice(program.lastIndexOf('/') + 1)} ${args[0] ?? ''} failed (${how})${said === '' ? '' : `: ${said}`}`);
}
