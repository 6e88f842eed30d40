import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './executable.js';
import { freePort } from './server-process.js';

/** What Prometheus found of one place to ask. */
export interface DiscoveredTarget {
  readonly discoveredLabels: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** `up`, `down` or `unknown`; dropped targets have none. */
  readonly health?: string;
  readonly lastError?: string;
}

export interface Prometheus {
  /** Every target that was discovered by a job, also those that are dropped. */
  targets(job: string): Promise<readonly DiscoveredTarget[]>;
  /** The first number that a query gives; 0 when it gives none. */
  value(query: string): Promise<number>;
  /** What it wrote to stderr. */
  log(): string;
  stop(): Promise<void>;
}

/** Where `scripts/test` puts it. */
const PROGRAM = join(import.meta.dirname, '../../.cache/tools/prometheus/usr/bin/prometheus');

/** Starts Debian's Prometheus with a configuration, in a folder; it is reachable from this machine alone. */
export async function startPrometheus(folder: string, configuration: string): Promise<Prometheus> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, configuration);
  const port = await freePort();
  const child = spawn(PROGRAM, [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  let failure: Error | undefined;
  child.stderr.on('data', (chunk) => (log += String(chunk)));
  child.once('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ask = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  const stop = async (): Promise<void> => {
    if (failure) return;
    child.kill();
    await ended;
  };
  try {
    await eventually(async () => {
      if (failure) throw failure;
      return (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok;
    }, `Prometheus is ready (${log})`, 30_000);
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : String(error)}: ${log}`, { cause: error });
  }
  return {
    async targets(job) {
      const { data } = (await ask('/api/v1/targets')) as { readonly data: { readonly activeTargets: readonly DiscoveredTarget[]; readonly droppedTargets: readonly DiscoveredTarget[] } };
      return [...data.activeTargets, ...data.droppedTargets].filter((target) => target.discoveredLabels['job'] === job);
    },
    async value(query) {
      const { data } = (await ask(`/api/v1/query?query=${encodeURIComponent(query)}`)) as { readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] } };
      return Number(data.result[0]?.value[1] ?? 0);
    },
    log: () => log,
    stop,
  };
}
