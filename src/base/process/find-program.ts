import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeError } from '../errors.js';
import { COMMAND_FAILED } from './commands.js';

/** The path of a program, looked up in `PATH` of `env` as execvp does. Throws `KUBE_COMMAND` when there is none. */
export async function findProgram(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const candidates = program.includes('/') ? [program] : (env.PATH ?? '').split(':').map((folder) => join(folder || '.', program));
  for (const candidate of candidates) {
    const found = await access(candidate, constants.X_OK).then(() => true, () => false);
    if (found) return candidate;
  }
  throw new KubeError(COMMAND_FAILED, `cannot run ${program}: spawn ${program} ENOENT`);
}
