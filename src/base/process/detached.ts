import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { KubeError } from '../errors.js';

/**
 * Most of what a request leaves behind is garbage soon: with twice V8's default young generation less of it is copied
 * before it dies, which saves a quarter of the time of busy controllers and the scheduler. `bin/kube` says the same.
 */
const SEMI_SPACE = '--max-semi-space-size';
const SEMI_SPACE_MEGABYTES = 32;

/** What a detached child tells its parent: the document to print, or why it could not start. */
export type DetachedMessage =
  | { readonly type: 'ready'; readonly document: unknown }
  | { readonly type: 'failed'; readonly message: string; readonly code: `KUBE_${string}`; readonly exitCode: number };

/** How to start this program again in the background. */
export interface DetachOptions {
  /** Arguments after the program's own path. */
  readonly arguments: readonly string[];
  /** Where the child's stdout and stderr go; appended to, mode 0600. */
  readonly logFile: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Starts this program again as a session of its own and waits for its first message. The child goes on
 * when the caller ends. Throws `KUBE_DETACHED_DIED` when the child ends without a word.
 */
export async function startDetached(options: DetachOptions): Promise<DetachedMessage> {
  const log = await open(options.logFile, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...withYoungGeneration(process.execArgv), process.argv[1]!, ...options.arguments], {
      detached: true,
      env: options.environment,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    });
    return await new Promise<DetachedMessage>((resolve, reject) => {
      child.once('message', (message) => {
        child.disconnect();
        child.unref();
        resolve(message as DetachedMessage);
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        reject(new KubeError('KUBE_DETACHED_DIED', `the background process ended (${signal ?? `exit code ${code}`}) before it was ready; see ${options.logFile}`));
      });
    });
  } finally {
    await log.close();
  }
}

/** Whether this process was started by {@link startDetached} and its parent still waits. */
export function isDetached(): boolean {
  return process.connected;
}

/** Tells the waiting parent; does nothing when there is none. */
export function tellParent(message: DetachedMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) return resolve();
    process.send(message, undefined, undefined, () => {
      if (process.connected) process.disconnect();
      resolve();
    });
  });
}

function withYoungGeneration(flags: readonly string[]): string[] {
  return flags.some((flag) => flag.startsWith(SEMI_SPACE)) ? [...flags] : [...flags, `${SEMI_SPACE}=${SEMI_SPACE_MEGABYTES}`];
}
