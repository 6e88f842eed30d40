import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import { containerStatus } from '../../api/helpers/pod-state.js';
import { internalError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import { ChannelSocket, type ChannelCoding } from '../../base/websocket/channels.js';
import type { StreamOptions, StreamSession } from '../runtime/index.js';
import { HttpError, requirePod, runtimeId, type PodDirectory } from './pod-directory.js';

/** Channels of exec and attach. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** What a path `/exec|/attach/<namespace>/<pod>/<container>` asks for, checked before the upgrade. */
export interface RemoteCommand {
  readonly options: StreamOptions;
  open(): Promise<StreamSession>;
}

/** Finds the container and reads the query. Throws an {@link HttpError}. */
export function remoteCommand(directory: PodDirectory, kind: 'exec' | 'attach', namespace: string, podName: string, container: string, query: URLSearchParams): RemoteCommand {
  const { pod, status, node } = requirePod(directory, namespace, podName);
  const set = (...names: readonly string[]): boolean => names.some((name) => ['1', 'true'].includes(query.get(name) ?? ''));
  const tty = set('tty');
  const options: StreamOptions = { stdin: set('input', 'stdin'), stdout: set('output', 'stdout'), stderr: set('error', 'stderr') && !tty, tty };
  if (!options.stdin && !options.stdout && !options.stderr) throw new HttpError(400, 'you must specify at least 1 of stdin, stdout, stderr');
  const id = containerStatus(status ?? pod.status, container)?.containerID;
  const running = containerStatus(status ?? pod.status, container)?.state?.running !== undefined;
  if (!id || !running) throw new HttpError(500, `container not found ("${container}")`);
  const runtime = node.runtime.containers;
  const command = query.getAll('command');
  return {
    options,
    open: () => (kind === 'exec' ? runtime.exec(runtimeId(id), command, options) : runtime.attach(runtimeId(id), options)),
  };
}

/** Serves the session over a WebSocket with the channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`. */
export async function serveRemoteCommand(socket: WebSocket, coding: ChannelCoding, command: RemoteCommand): Promise<void> {
  let session: StreamSession | undefined;
  const early: Buffer[] = [];
  let stdinEnded = false;
  const channels = new ChannelSocket(socket, coding, {
    data(channel, bytes) {
      if (channel === STDIN) {
        if (!session) early.push(bytes);
        else if (session.stdin && !session.stdin.writableEnded && !session.stdin.write(bytes)) {
          channels.pause();
          session.stdin.once('drain', () => channels.resume());
        }
      } else if (channel === RESIZE && session) resize(session, bytes);
    },
    end(channel) {
      if (channel !== STDIN) return;
      stdinEnded = true;
      session?.stdin?.end();
    },
    close: () => session?.close(),
  });
  let outcome: unknown;
  try {
    session = await command.open();
    const { stdin } = session;
    stdin?.on('error', () => undefined);
    for (const bytes of early) stdin?.write(bytes);
    if (stdinEnded) stdin?.end();
    const copies = [copy(session.stdout, channels, STDOUT), copy(session.stderr, channels, STDERR)];
    const code = await session.exit;
    await Promise.all(copies);
    outcome = code === 0 ? { metadata: {}, status: 'Success' } : nonZeroExit(code);
  } catch (error) {
    outcome = internalError(`error executing command in container: ${errorMessage(error)}`).status;
  }
  // Clients of v5 close channels; they do not expect to see that from this side.
  await channels.send(ERROR, Buffer.from(JSON.stringify(outcome)));
  channels.close();
}

async function copy(source: Readable | undefined, channels: ChannelSocket, channel: number): Promise<void> {
  if (!source) return;
  for await (const chunk of source) if (!(await channels.send(channel, chunk as Buffer))) return;
}

function resize(session: StreamSession, bytes: Buffer): void {
  try {
    const { Width = 0, Height = 0 } = JSON.parse(bytes.toString()) as { Width?: number; Height?: number };
    if (Width > 0 && Height > 0) session.resize(Width, Height);
  } catch {
    // A size that cannot be read changes nothing.
  }
}

function nonZeroExit(code: number): unknown {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}
