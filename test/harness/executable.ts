import { execFile, type ExecFileOptions } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** How a program ended. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; never rejects because of its exit code. */
export function run(file: string, args: readonly string[], options: ExecFileOptions & { readonly input?: string } = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(file, [...args], { maxBuffer: 1 << 28, ...options }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      resolve({ code, stdout: String(stdout), stderr: String(stderr) });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

/** Runs the real executable. */
export function kube(args: readonly string[], options: ExecFileOptions = {}): Promise<Finished> {
  return run(process.execPath, [join(ROOT, 'bin/kube'), ...args], options);
}

/** A cluster of the real executable, in a folder of its own. */
export interface ExecutableCluster {
  readonly dataDir: string;
  /** The line that `run all --detach -o json` printed last. */
  readonly ready: ReadyLine;
  /** kubectl 35 or 32 against it; rejects when the exit code is not 0, unless `fails`. */
  kubectl(args: string | readonly string[], options?: { readonly version?: 32 | 35; readonly input?: string; readonly fails?: boolean; readonly environment?: Readonly<Record<string, string>> }): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

export interface ReadyLine {
  readonly event: string;
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly nodes: readonly string[];
  readonly containerRuntime: string;
  readonly version: string;
  readonly startupMilliseconds: number;
}

/** Starts a cluster with extra flags of `run all`; its pods are simulated unless told otherwise. */
export async function startExecutable(flags: readonly string[] = [], containerRuntime: 'sim' | 'native' = 'sim'): Promise<ExecutableCluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-e2e-'));
  let ready: ReadyLine | undefined;
  const start = async (): Promise<void> => {
    const port = ready ? new URL(ready.server).port : '0';
    const { code, stdout, stderr } = await kube(['run', 'all', '--detach', '-o', 'json', '--data-dir', dataDir, '--secure-port', port, '--container-runtime', containerRuntime, ...flags]);
    if (code !== 0) throw new Error(`kube run all failed with code ${code}: ${stderr}`);
    ready = JSON.parse(stdout) as ReadyLine;
  };
  const stop = async (): Promise<void> => {
    const { code, stderr } = await kube(['stop', '--data-dir', dataDir, '-o', 'json']);
    if (code !== 0) throw new Error(`kube stop failed: ${stderr}`);
  };
  await start();
  return {
    dataDir,
    get ready() {
      return ready!;
    },
    start,
    stop,
    async kubectl(args, options = {}) {
      const list = typeof args === 'string' ? args.split(' ') : args;
      const binary = join(ROOT, `.cache/tools/v${options.version ?? 35}/kubectl`);
      const { code, stdout, stderr } = await run(binary, list, { env: { ...process.env, KUBECONFIG: ready!.kubeconfig, HOME: dataDir, KUBECACHEDIR: join(dataDir, `kubectl-${options.version ?? 35}`), ...options.environment }, ...(options.input === undefined ? {} : { input: options.input }) });
      if (options.fails) {
        if (code === 0) throw new Error(`kubectl ${list.join(' ')} was expected to fail, but printed: ${stdout}`);
        return stdout + stderr;
      }
      if (code !== 0) throw new Error(`kubectl ${list.join(' ')} failed with code ${code}: ${stderr}${stdout}`);
      return stdout + (list.includes('--warnings') ? stderr : '');
    },
    async kill() {
      process.kill(ready!.pid, 'SIGKILL');
      for (;;) {
        try {
          process.kill(ready!.pid, 0);
        } catch {
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async remove() {
      if (containerRuntime === 'native') {
        const { code, stdout, stderr } = await kube(['reset', '--yes', '--data-dir', dataDir, '-o', 'json', '--kubeconfig', join(dataDir, 'kubeconfig')]);
        if (code !== 0) throw new Error(`kube reset left something: ${stdout}${stderr}`);
      } else await stop().catch(() => undefined);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls `probe` until it gives something truthy; the deadline only keeps a broken test from hanging. */
export async function eventually<T>(probe: () => Promise<T | undefined | false>, what: string, deadlineMilliseconds = 60_000): Promise<T> {
  const end = Date.now() + deadlineMilliseconds;
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what} did not happen; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
