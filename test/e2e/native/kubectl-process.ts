import { spawn as spawnTerminal } from '@lydell/node-pty';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';

const ROOT = join(import.meta.dirname, '../../..');

/** The two versions of kubectl that everything here is tried with. */
export const VERSIONS = [35, 32] as const;
export type Version = (typeof VERSIONS)[number];

/** Environment that makes kubectl take SPDY where it would take WebSockets. */
export const OVER_SPDY = { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false', KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };

/** Path of a manifest of these tests. */
export const manifest = (name: string): string => join(import.meta.dirname, 'manifests', `${name}.yaml`);

/** A kubectl that goes on running. */
export interface KubectlProcess {
  /** All that it wrote so far. */
  text(): string;
  write(text: string): void;
  /** Waits until its output matches. */
  shows(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Its exit code; -1 after a signal. */
  readonly ended: Promise<number>;
  kill(): Promise<void>;
}

/** One whose standard streams are a terminal. */
export interface KubectlTerminal extends KubectlProcess {
  resize(columns: number, rows: number): void;
}

interface Options {
  readonly version?: Version;
  readonly environment?: Readonly<Record<string, string>>;
}

function command(cluster: ExecutableCluster, { version = 35, environment = {} }: Options): { readonly file: string; readonly env: Record<string, string> } {
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { file: join(ROOT, `.cache/tools/v${version}/kubectl`), env: { ...env, KUBECONFIG: cluster.ready.kubeconfig, HOME: cluster.dataDir, TERM: 'xterm', ...environment } };
}

const shows = (text: () => string) => (pattern: RegExp): Promise<RegExpMatchArray> =>
  eventually(async () => text().match(pattern) ?? undefined, `${pattern} in the output of kubectl`, 30_000).catch((error: Error) => {
    throw new Error(`${error.message}; it wrote: ${JSON.stringify(text())}`);
  });

/** Starts kubectl with pipes. */
export function startKubectl(cluster: ExecutableCluster, args: readonly string[], options: Options = {}): KubectlProcess {
  const { file, env } = command(cluster, options);
  const child = spawn(file, args, { env });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (written += chunk));
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const text = (): string => written;
  return {
    text, ended, shows: shows(text),
    write: (data) => void child.stdin.write(data),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts kubectl in a terminal of 80 columns and 24 rows. */
export function startKubectlInTerminal(cluster: ExecutableCluster, args: readonly string[], options: Options = {}): KubectlTerminal {
  const { file, env } = command(cluster, options);
  const terminal = spawnTerminal(file, [...args], { cols: 80, rows: 24, env });
  let written = '';
  terminal.onData((data) => (written += data));
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode, signal }) => resolve(signal ? -1 : exitCode)));
  const text = (): string => written;
  return {
    text, ended, shows: shows(text),
    write: (data) => terminal.write(data),
    resize: (columns, rows) => terminal.resize(columns, rows),
    async kill() {
      terminal.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts the application of manifests/app.yaml in a cluster and waits until all of it runs. */
export async function startApplication(cluster: ExecutableCluster): Promise<void> {
  await cluster.kubectl(`apply -f ${manifest('app')}`);
  await Promise.all([
    cluster.kubectl('rollout status -n shop deployment/web --timeout=60s'),
    cluster.kubectl('rollout status -n shop statefulset/store --timeout=60s'),
    cluster.kubectl('rollout status -n shop daemonset/agent --timeout=60s'),
    cluster.kubectl('wait -n shop pod/client --for=condition=Ready --timeout=60s'),
  ]);
}
