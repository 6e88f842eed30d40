import type { Duplex } from 'node:stream';
import { KubeError } from '../../../../base/errors.js';
import type { Commands, RunningCommand } from '../../../../base/process/commands.js';
import { CommandDuplex } from './command-duplex.js';

/** socat says this once it is connected, and then copies. */
const CONNECTED = 'starting data transfer loop';
/** Longer than any connection that is closed on one side alone, in seconds. */
const HALF_CLOSED = '31536000';

/** Whose port is meant. */
export interface SandboxPort {
  readonly sandboxId: string;
  /** File of the sandbox' network namespace. */
  readonly namespace: string;
  readonly port: number;
}

/**
 * Connects to a port on the loopback address of a sandbox, by IPv4 and else by IPv6. Either side can be closed alone. Rejects
 * (`KUBE_PORT_FORWARD`) in containerd's words when nobody listens there or the namespace is gone.
 */
export async function connectToSandboxPort(commands: Commands, target: SandboxPort): Promise<Duplex> {
  const { sandboxId, namespace, port } = target;
  const inside = (message: string): KubeError => new KubeError('KUBE_PORT_FORWARD', `failed to execute portforward in network namespace ${JSON.stringify(namespace)}: ${message}`);
  const first = await connect(commands, namespace, `TCP4:127.0.0.1:${port}`);
  if ('connection' in first) return first.connection;
  if (first.namespaceError !== undefined) throw inside(first.namespaceError);
  const second = await connect(commands, namespace, `TCP6:[::1]:${port}`);
  if ('connection' in second) return second.connection;
  throw inside(`failed to connect to localhost:${port} inside namespace ${JSON.stringify(sandboxId)}, IPv4: dial tcp4 127.0.0.1:${port}: connect: ${first.reason} IPv6 dial tcp6 [::1]:${port}: connect: ${second.reason}`);
}

type Attempt = { readonly connection: Duplex } | { readonly reason: string; readonly namespaceError?: string };

async function connect(commands: Commands, namespace: string, address: string): Promise<Attempt> {
  const running = await commands.start('nsenter', [`--net=${namespace}`, 'socat', '-d', '-d', '-b', '65536', '-t', HALF_CLOSED, 'STDIN!!STDOUT,shut-close', address], { stdin: true });
  const said = await untilConnected(running);
  if (said === undefined) return { connection: new CommandDuplex(running) };
  running.stdin!.destroy();
  running.stdout.resume();
  const namespaceError = /^nsenter: (.*)$/m.exec(said)?.[1];
  return { reason: /\] E .*: ([^:\n]+)$/m.exec(said)?.[1]?.toLowerCase() ?? 'connection refused', ...(namespaceError === undefined ? {} : { namespaceError }) };
}

/** Undefined once it is connected; otherwise what was said before it ended. */
function untilConnected(running: RunningCommand): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (said.includes(CONNECTED)) done(undefined);
    };
    const end = (): void => done(said);
    const done = (result: string | undefined): void => {
      running.stderr.off('data', listen);
      running.stderr.off('end', end);
      running.stderr.resume();
      resolve(result);
    };
    running.stderr.on('data', listen);
    running.stderr.once('end', end);
  });
}
