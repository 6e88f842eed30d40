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
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      for (const line of stdout.split('\n').slice(0, -1)) {
        const document = JSON.parse(line) as { event: string; kubeconfig: string };
        if (document.event === 'ready') resolve(document.kubeconfig);
      }
    });
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`kube server ended with ${signal ?? code}: ${stderr}${stdout}`)));
  }).then(adminTarget);
  // Who kills it before it is ready does not wait for this.
  ready.catch(() => undefined);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { child, ready, exited, stderr: () => stderr, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
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
