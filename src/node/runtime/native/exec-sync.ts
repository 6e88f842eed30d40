import { readFile, rm, writeFile } from 'node:fs/promises';
import { KubeError } from '../../../base/errors.js';
import type { ExecResult } from '../types.js';
import type { ContainerRecord } from './records.js';
import { killProcess } from './sandboxes.js';
import type { OciProcess, OciSpec } from './spec/oci.js';
import type { NativeWorld } from './world.js';

/** containerd's limit for each of stdout and stderr. */
const MAX_OUTPUT = 16 * 1024 * 1024;
/** runc's own words end up here, apart from the command's. */
interface LogLine {
  readonly level?: string;
  readonly msg?: string;
}

/**
 * Runs a command in a container to its end. Rejects with `KUBE_RUNTIME_TIMEOUT` after `timeoutSeconds` (0: never), when the command and
 * what it began are killed; with `KUBE_EXEC` and runc's reason when it cannot be started, such as a program that does not exist.
 */
export async function execSync(world: NativeWorld, record: ContainerRecord, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
  const { places, commands, programs, random, clock } = world;
  const base = `${places.execs}/${random.bytes(8).toString('hex')}`;
  const files = { process: `${base}.json`, pid: `${base}.pid`, log: `${base}.log` };
  const stop = new AbortController();
  let timedOut = false;
  try {
    await writeFile(files.process, JSON.stringify(await execProcess(world, record.id, command, false)), { mode: 0o600 });
    const cancel = timeoutSeconds > 0 ? clock.setTimeout(() => {
      timedOut = true;
      void killExec(files.pid).finally(() => stop.abort());
    }, timeoutSeconds * 1000) : (): void => undefined;
    const args = [`--root=${places.runc}`, `--log=${files.log}`, '--log-format=json', 'exec', '--process', files.process, '--pid-file', files.pid, record.id];
    // An abort that kills runc itself may come as a rejection.
    const result = await commands.run(programs.runc, args, { maxOutputBytes: MAX_OUTPUT, signal: stop.signal }).catch((error: unknown) => {
      if (!timedOut) throw error;
      return undefined;
    }).finally(cancel);
    if (timedOut || !result) throw new KubeError('KUBE_RUNTIME_TIMEOUT', `failed to exec in container: timeout ${timeoutSeconds}s exceeded: context deadline exceeded`);
    if (result.code !== 0 && !(await started(files.pid))) throw new KubeError('KUBE_EXEC', `failed to exec in container: failed to start exec: ${await reason(files.log, result.stderr)}`);
    return { stdout: result.stdout, stderr: result.stderr, exitCode: result.code };
  } finally {
    await Promise.all(Object.values(files).map((file) => rm(file, { force: true })));
  }
}

/** The description of a further process of a container: as its first one, with another command. */
export async function execProcess({ places }: Pick<NativeWorld, 'places'>, id: string, command: readonly string[], terminal: boolean): Promise<OciProcess> {
  const { process } = JSON.parse(await readFile(`${places.bundle(id)}/config.json`, 'utf8')) as OciSpec;
  const env = terminal && !process.env.some((text) => text.startsWith('TERM=')) ? [...process.env, 'TERM=xterm'] : process.env;
  return { ...process, terminal, args: command, env };
}

/** Kills a command and everything that it began. */
export async function killExec(pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
  if (pid <= 1) return;
  for (const one of [pid, ...(await descendants(pid))]) killProcess(one);
}

/** Children of a process, and theirs. */
async function descendants(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter((word) => word !== '').map(Number);
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

/** runc writes the number down once the command runs. */
async function started(pidFile: string): Promise<boolean> {
  return (await readFile(pidFile, 'utf8').catch(() => '')) !== '';
}

async function reason(logFile: string, stderr: Buffer): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line.startsWith('{'));
  const said = lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line.level === 'error' || line.level === 'fatal').map((line) => line.msg ?? '');
  return `OCI runtime exec failed: ${said.join('; ') || stderr.toString().trim() || 'no reason given'}`;
}
