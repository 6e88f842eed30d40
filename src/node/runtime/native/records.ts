import { open, readdir, readFile, rename } from 'node:fs/promises';
import type { ProcessIdentity } from '../../../base/process/alive.js';
import { errorCode } from '../../../base/errors.js';
import type { ContainerConfig, ContainerStatus, PodSandboxConfig } from '../types.js';

/** What is written down of a sandbox once it is ready; a sandbox without a record is half made. */
export interface SandboxRecord {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly state: 'ready' | 'notready';
  readonly ips: readonly string[];
  /** Process whose PID namespace the containers share. */
  readonly pause?: ProcessIdentity;
}

/** What is kept of a container's configuration. The rest is in the bundle. */
export type KeptConfig = Pick<
  ContainerConfig,
  'name' | 'attempt' | 'kind' | 'image' | 'imageRef' | 'specHash' | 'stdin' | 'stdinOnce' | 'tty' | 'terminationMessagePath' | 'terminationMessagePolicy'
>;

/** What is written down of a container; one without a record is half made. */
export interface ContainerRecord {
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  readonly config: KeptConfig;
  readonly createdAt: number;
  /** `starting` is written before anything runs, so that after a crash no container runs of which nothing is known. */
  readonly state: 'created' | 'starting' | 'running' | 'exited';
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** Whole path of its log. */
  readonly logPath: string;
  /** Below every controller. */
  readonly cgroup: string;
  /** `SIGTERM`, `15`, …. */
  readonly stopSignal: string;
  readonly user: NonNullable<ContainerStatus['user']>;
  /** Its first process, and its monitor. */
  readonly init?: ProcessIdentity;
  readonly monitor?: ProcessIdentity;
}

/**
 * Replaces a record as a whole. It is not forced to the disk: it has to outlive the death of this process only, since nothing of
 * what it tells runs after the machine's.
 */
export async function writeRecord(path: string, record: SandboxRecord | ContainerRecord): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** A record; undefined when there is none or the machine died while it was written. */
export async function readRecord<T extends SandboxRecord | ContainerRecord>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Names in a folder; none when it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
