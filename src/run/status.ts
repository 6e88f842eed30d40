import { SystemClock, sleep } from '../base/clock.js';
import { errorMessage } from '../base/errors.js';
import { connectionFromKubeconfig, createClient, HttpTransport, readKubeconfigFile, type Client } from '../client/index.js';
import { NODES } from '../api/resource-refs.js';
import type { V1Node } from '../api/generated/types.js';
import type { DataDirectory } from './data-directory.js';
import { runningRoles } from './role-processes.js';
import { readRunState, type ComponentState } from './run-state.js';

/** A node as `kube status` shows it. */
export interface NodeStatus {
  readonly name: string;
  readonly ready: boolean;
}

/** What `kube status -o json` prints. */
export interface ClusterStatus {
  /** `unreachable`: the process runs, but its API server does not answer. */
  readonly state: 'running' | 'starting' | 'stopped' | 'unreachable';
  readonly pid: number | null;
  readonly server: string | null;
  readonly kubeconfig: string | null;
  readonly dataDir: string;
  readonly containerRuntime: string | null;
  readonly version: string | null;
  readonly startedAt: string | null;
  readonly components: readonly ComponentState[];
  readonly nodes: readonly NodeStatus[];
  readonly message?: string;
}

const ANSWER_MILLISECONDS = 5000;

/** Looks at what a data directory says and at the API server that it names. */
export async function clusterStatus(directory: DataDirectory): Promise<ClusterStatus> {
  const found = await readRunState(directory);
  const alone = (await runningRoles(directory)).map(({ role, process: { pid } }): ComponentState => ({ name: role, state: 'running', pid }));
  const base = { dataDir: directory.path, components: alone, nodes: [] as readonly NodeStatus[] };
  if (!found?.alive) {
    return { state: 'stopped', pid: null, server: null, kubeconfig: null, containerRuntime: null, version: null, startedAt: null, ...base };
  }
  const { state } = found;
  const known = {
    ...base,
    pid: state.process.pid,
    server: state.server ?? null,
    kubeconfig: state.kubeconfig,
    containerRuntime: state.containerRuntime ?? null,
    version: state.version,
    startedAt: state.startedAt,
    components: [...state.components, ...alone],
  };
  if (!state.server) return { state: 'starting', ...known };
  try {
    const nodes = await withClient(directory.kubeconfig, async (client) => (await client.resource(NODES).list('')).items);
    return { state: 'running', ...known, nodes: nodes.map((node) => ({ name: node.metadata!.name!, ready: isReady(node) })) };
  } catch (error) {
    return { state: 'unreachable', ...known, message: errorMessage(error) };
  }
}

/** The node says that it is ready. */
export function isReady(node: V1Node): boolean {
  return node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

/** Runs `use` with a client of the kubeconfig in `file`; gives up after five seconds. */
export async function withClient<R>(file: string, use: (client: Client) => Promise<R>): Promise<R> {
  const clock = new SystemClock();
  const config = await readKubeconfigFile(file);
  const connection = await connectionFromKubeconfig(config ?? {}, '.');
  const transport = new HttpTransport({ ...connection, userAgent: 'kube' });
  const done = new AbortController();
  try {
    const late = sleep(clock, ANSWER_MILLISECONDS, done.signal).then((): never => {
      throw new Error(`no answer within ${ANSWER_MILLISECONDS / 1000} s`);
    });
    late.catch(() => undefined);
    return await Promise.race([use(createClient(transport)), late]);
  } finally {
    done.abort();
    await transport.close();
  }
}
