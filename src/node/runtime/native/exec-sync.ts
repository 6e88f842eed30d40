import { readFile } from 'node:fs/promises';
import { KubeError } from '../../../base/errors.js';
import type { ExecResult } from '../types.js';
import type { ContainerRecord } from './records.js';
import type { OciProcess, OciSpec } from './spec/oci.js';
import { ExecFiles } from './streams/exec-files.js';
import { killTree } from './streams/index.js';
import type { NativeWorld } from './world.js';

/** containerd's limit for each of stdout and stderr. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * Runs a command in a container to its end. Rejects with `KUBE_RUNTIME_TIMEOUT` after `timeoutSeconds` (0: never), when the command and
 * what it began are killed; with `KUBE_EXEC` and runc's reason when it cannot be started, such as a program that does not exist.
 */
export async function execSync(world: NativeWorld, record: ContainerRecord, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
  const { places, commands, programs, random, clock, cgroups } = world;
  const id = random.bytes(32).toString('hex');
  const files = new ExecFiles(places.execs, id);
  const stop = new AbortController();
  let timedOut = false;
  const giveUp = async (): Promise<void> => {
    timedOut = true;
    const pid = await files.readPid();
    if (pid !== undefined) await killTree(pid, () => cgroups.processes(record.cgroup));
    stop.abort();
  };
  try {
    await files.write(await execProcess(world, record.id, command, false));
    const cancel = timeoutSeconds > 0 ? clock.setTimeout(() => void giveUp().catch(() => stop.abort()), timeoutSeconds * 1000) : (): void => undefined;
    const args = [`--root=${places.runc}`, `--log=${files.log}`, '--log-format=json', 'exec', '--process', files.process, '--pid-file', files.pid, record.id];
    // An abort that kills runc itself may come as a rejection.
    const result = await commands.run(programs.runc, args, { maxOutputBytes: MAX_OUTPUT, signal: stop.signal }).catch((error: unknown) => {
      if (!timedOut) throw error;
      return undefined;
    }).finally(cancel);
    if (timedOut || !result) throw new KubeError('KUBE_RUNTIME_TIMEOUT', `failed to exec in container: timeout ${timeoutSeconds}s exceeded: context deadline exceeded`);
    if (result.code !== 0 && (await files.readPid()) === undefined) {
      const complaint = (await files.complaint()) || result.stderr.toString().trim() || 'no reason given';
      throw new KubeError('KUBE_EXEC', `failed to exec in container: failed to start exec ${JSON.stringify(id)}: OCI runtime exec failed: ${complaint}: unknown`);
    }
    return { stdout: result.stdout, stderr: result.stderr, exitCode: result.code };
  } finally {
    await files.remove();
  }
}

/** The description of a further process of a container: as its first one, with another command. */
export async function execProcess({ places }: Pick<NativeWorld, 'places'>, id: string, command: readonly string[], terminal: boolean): Promise<OciProcess> {
  const { process } = JSON.parse(await readFile(`${places.bundle(id)}/config.json`, 'utf8')) as OciSpec;
  const env = terminal && !process.env.some((text) => text.startsWith('TERM=')) ? [...process.env, 'TERM=xterm'] : process.env;
  return { ...process, terminal, args: command, env };
}
