import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { KubeError } from '../../../../base/errors.js';
import type { Commands, RunningCommand } from '../../../../base/process/commands.js';
import { LogFollower } from '../../logs/follower.js';
import { LogFile, splitLines } from '../../logs/log-file.js';
import { parseRecord } from '../../logs/record.js';
import type { StreamOptions, StreamSession } from '../../types.js';

/** A running container whose monitor is conmon. */
export interface AttachTarget {
  /** Its log. */
  readonly logPath: string;
  /** Folder in which conmon has made `attach` (with `--full-attach`) and `winsz`. */
  readonly bundle: string;
  /** It was made with a stdin. Whether that ends with the client's is conmon's `--leave-stdin-open`. */
  readonly stdin: boolean;
  /** Its stdin ends with that of the first client. */
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** Aborts once it has ended and its log is complete. */
  readonly ended: AbortSignal;
}

/**
 * Attaches to a container: shows what it prints from now on, and hands over input. The output comes from the log, which conmon writes
 * without delay and in which nothing of it is lost: packets of the attach socket lose their bounds on the way through socat, and a
 * client that does not read them would hold up the container. Input goes through that socket; the session ends with the container, or with
 * the client's input when the container's goes on.
 * Rejects with `KUBE_ATTACH` when the container has ended.
 */
export async function attachContainer(commands: Commands, target: AttachTarget, options: StreamOptions): Promise<StreamSession> {
  if (target.ended.aborted) throw new KubeError('KUBE_ATTACH', 'container is in CONTAINER_EXITED state');
  const file = await LogFile.open(target.logPath);
  await file.seekEnd();
  const input = options.stdin && target.stdin ? await openInput(commands, target).catch(async (error: unknown) => {
    await file.close();
    throw error;
  }) : undefined;
  const closed = new AbortController();
  const detached = new AbortController();
  if (input && (!target.stdinOnce || target.tty)) {
    void input.exit.then(() => {
      if (input.stdin!.writableFinished) detached.abort();
    });
  }
  const stdout = options.stdout ? new PassThrough() : undefined;
  const stderr = options.stderr && !options.tty ? new PassThrough() : undefined;
  const follower = new LogFollower(target.logPath, file, { ended: AbortSignal.any([target.ended, detached.signal]), signal: closed.signal });
  const exit = copy(follower, stdout, stderr, closed.signal).then(() => 0).finally(() => {
    stdout?.end();
    stderr?.end();
    input?.kill('SIGKILL');
  });
  exit.catch(() => undefined);
  return {
    ...(input ? { stdin: input.stdin! as Writable } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    resize: (columns, rows) => {
      if (target.tty) void resize(target.bundle, columns, rows);
    },
    exit,
    close: () => closed.abort(),
  };
}

async function copy(follower: LogFollower, stdout: PassThrough | undefined, stderr: PassThrough | undefined, closed: AbortSignal): Promise<void> {
  for await (const block of follower.blocks()) {
    for (const line of splitLines(block)) {
      const record = parseRecord(line);
      const stream = record?.stream === 'stderr' ? stderr : stdout;
      if (!record || !stream || stream.destroyed || stream.write(record.content)) continue;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          stream.off('drain', go);
          stream.off('close', go);
          closed.removeEventListener('abort', go);
          resolve();
        };
        stream.once('drain', go);
        stream.once('close', go);
        closed.addEventListener('abort', go);
        if (closed.aborted) go();
      });
      if (closed.aborted) return;
    }
  }
}

/** Packets from the socket have to be taken, or conmon waits for it. */
async function openInput(commands: Commands, target: AttachTarget): Promise<RunningCommand> {
  const running = await commands.start('socat', ['STDIN!!OPEN:/dev/null,wronly', `UNIX-CONNECT:${target.bundle}/attach,type=5`], { stdin: true });
  running.stdout.resume();
  running.stderr.resume();
  return running;
}

/** Does nothing when nobody listens any more. */
async function resize(bundle: string, columns: number, rows: number): Promise<void> {
  try {
    const fifo = await open(`${bundle}/winsz`, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await fifo.write(`${rows} ${columns}\n`);
    } finally {
      await fifo.close();
    }
  } catch {
    // The container has ended: it needs no size.
  }
}
