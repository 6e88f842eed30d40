import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { adminTarget, type RawTarget } from './raw-connection.js';

const KUBE = join(import.meta.dirname, '../../bin/kube');

/** `kube server` as a child process of the test. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Resolves when it serves; rejects with what it wrote to stderr when it ends before. */
  readonly ready: Promise<RawTarget>;
  /** Number of the server's process, which is not `child`'s when it runs under another program. */
  readonly pid: Promise<number>;
  readonly exited: Promise<void>;
  /** What it wrote to stderr so far. */
  stderr(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when the process has stopped. */
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  readonly dataDir: string;
  /** Default 0: a free one. */
  readonly port?: number;
  readonly flags?: readonly string[];
  /** A program, with its arguments, that runs the server (strace). */
  readonly under?: readonly string[];
  readonly nodeFlags?: readonly string[];
}

/** Starts the real executable's `kube server`. */
export function startServerProcess({ dataDir, port = 0, flags = [], under = [], nodeFlags = [] }: ServerProcessOptions): ServerProcess {
  const [file, ...args] = [...under, process.execPath, ...nodeFlags, KUBE, 'server', '--data-dir', dataDir, '--secure-port', String(port), '-o', 'json', ...flags];
  const child = spawn(file!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  let stdout = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const document = new Promise<{ readonly kubeconfig: string; readonly pid: number }>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      for (const line of stdout.split('\n').slice(0, -1)) {
        const told = JSON.parse(line) as { event: string; kubeconfig: string; pid: number };
        if (told.event === 'ready') resolve(told);
      }
    });
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`kube server ended with ${signal ?? code}: ${stderr}${stdout}`)));
  });
  const ready = document.then(({ kubeconfig }) => adminTarget(kubeconfig));
  const pid = document.then((told) => told.pid);
  // Who kills it before it is ready does not wait for these.
  ready.catch(() => undefined);
  pid.catch(() => undefined);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { child, ready, pid, exited, stderr: () => stderr, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

/** A port of the loopback interface that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
