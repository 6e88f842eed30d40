import { PassThrough, type Readable } from 'node:stream';
import type { Clock } from '../../../../base/clock.js';
import { KubeError } from '../../../../base/errors.js';
import type { Commands, RunningCommand } from '../../../../base/process/commands.js';
import type { Random } from '../../../../base/random.js';
import type { StreamOptions, StreamSession } from '../../types.js';
import type { OciProcess } from '../spec/oci.js';
import { ExecFiles } from './exec-files.js';
import { killTree } from './kill-tree.js';

/** Until the client tells the size of its own. */
const TERMINAL = { columns: 80, rows: 24 };
/** A runc that does not come to an end is killed so many milliseconds after the session was given up. */
const PATIENCE = 5000;

/** What is run, and where. */
export interface ExecTarget {
  /** The program. */
  readonly runc: string;
  /** Its state folder. */
  readonly root: string;
  readonly containerId: string;
  /** The command with its user, environment, capabilities and working folder; `terminal` as the session has it. */
  readonly process: OciProcess;
  /** Folder for files that are needed while it runs, on a tmpfs. */
  readonly folder: string;
  /** The processes of the container, as the host numbers them. */
  processes(): Promise<readonly number[]>;
}

/** What sessions work with. */
export interface ExecTools {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Starts a command in a running container. The session's `exit` rejects (`KUBE_EXEC`) in containerd's words when runc could not
 * start it; closing the session kills the command and what it began. Rejects when runc itself cannot be run.
 */
export async function startExec(tools: ExecTools, target: ExecTarget, options: StreamOptions): Promise<StreamSession> {
  const id = tools.random.bytes(32).toString('hex');
  const files = new ExecFiles(target.folder, id);
  let begun!: (started: boolean) => void;
  const started = new Promise<boolean>((resolve) => (begun = resolve));
  const unwatch = files.onPid(() => begun(true));
  let command: RunningCommand;
  try {
    await files.write(target.process);
    const args = [`--root=${target.root}`, `--log=${files.log}`, '--log-format=json', 'exec', '--process', files.process, '--pid-file', files.pid, target.containerId];
    command = await tools.commands.start(target.runc, args, { stdin: options.stdin, ...(options.tty ? { terminal: TERMINAL } : { pipes: true }) });
  } catch (error) {
    unwatch();
    await files.remove();
    throw error;
  }
  const exit = command.exit.then(async (code) => {
    try {
      const ran = code === 0 || (await files.readPid()) !== undefined;
      begun(ran);
      if (ran) return code;
      // 137: runc was killed before it could say anything.
      const complaint = (await files.complaint()) || (code === 137 ? 'runc was killed' : 'no reason given');
      throw new KubeError('KUBE_EXEC', `failed to exec in container: failed to start exec ${JSON.stringify(id)}: OCI runtime exec failed: ${complaint}: unknown`);
    } finally {
      unwatch();
      await files.remove();
    }
  });
  exit.catch(() => undefined);
  return {
    ...(command.stdin ? { stdin: command.stdin } : {}),
    ...outputs(command, started, options),
    resize: (columns, rows) => command.resize(columns, rows),
    exit,
    close: () => void giveUp(tools.clock, command, started, files, target),
  };
}

/** runc's own complaint about a command that it could not start is no output of that command. */
function outputs(command: RunningCommand, started: Promise<boolean>, options: StreamOptions): Pick<StreamSession, 'stdout' | 'stderr'> {
  const open = (source: Readable, wanted: boolean): Readable | undefined => {
    const shown = new PassThrough();
    void started.then((ran) => {
      if (!ran || !wanted) source.resume();
      if (!ran) shown.end();
      else if (wanted) source.pipe(shown);
    });
    source.once('error', () => shown.end());
    // A reader who goes away before the start must not hold up the command either.
    shown.once('close', () => source.destroy());
    return wanted ? shown : undefined;
  };
  const stdout = open(command.stdout, options.stdout);
  const stderr = open(command.stderr, options.stderr && !options.tty);
  return { ...(stdout ? { stdout } : {}), ...(stderr ? { stderr } : {}) };
}

async function giveUp(clock: Clock, command: RunningCommand, started: Promise<boolean>, files: ExecFiles, target: ExecTarget): Promise<void> {
  const cancel = clock.setTimeout(() => command.kill('SIGKILL'), PATIENCE);
  void command.exit.then(cancel);
  command.stdin?.destroy();
  if (!(await started)) return;
  const pid = await files.readPid();
  if (pid !== undefined) await killTree(pid, () => target.processes());
  // Nobody reads any more, and the exit waits for the output to be handed over.
  command.stdout.destroy();
  command.stderr.destroy();
}
