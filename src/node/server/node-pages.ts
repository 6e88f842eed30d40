import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { DirectoryNode, PodDirectory } from './pod-directory.js';
import { configz } from './configz.js';
import { runningPods } from './running-pods.js';
import { cadvisorMetrics, resourceMetrics, shownGroups, simulatedMetrics, simulatedSummary, summary, type MachineReading, type PodReading } from './stats/index.js';

/** A page of the agent's server. */
export interface Page {
  readonly type: 'json' | 'metrics' | 'text';
  readonly body: string;
}

export interface PageContext {
  readonly directory: PodDirectory;
  readonly log: Logger;
  /** When the agent began, and now; milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: number;
  /** The agent's own metrics as text. */
  metrics(): Promise<string>;
}

/** The page at a path of a node (undefined: of all), or undefined when there is none. */
export async function nodePage(context: PageContext, path: string, query: URLSearchParams, nodeName: string | undefined): Promise<Page | undefined> {
  const { directory } = context;
  const json = (value: unknown): Page => ({ type: 'json', body: JSON.stringify(value) });
  const metrics = (body: string): Page => ({ type: 'metrics', body });
  const node = directory.node(nodeName ?? directory.nodeNames[0] ?? '');
  switch (path) {
    case 'healthz':
    case 'healthz/ping':
    case 'healthz/log':
    case 'healthz/syncloop':
      return { type: 'text', body: 'ok' };
    case 'pods':
    case 'pods/':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: directory.list(nodeName).map(({ pod, status }) => ({ ...pod, ...(status ? { status } : {}) })) });
    case 'runningpods':
    case 'runningpods/':
      return node && json(await runningPods(node.runtime));
    case 'configz':
      return node && json(configz(node.config));
    case 'stats/summary':
    case 'stats/summary/':
      if (!node?.usage) return json(await simulatedSummary(directory, nodeName, context.startedAt, context.now));
      return json(await summaryOf(context, node, query.get('only_cpu_and_memory') === 'true'));
    case 'metrics':
      return metrics(await context.metrics());
    case 'metrics/resource':
      return metrics(node?.usage ? resourceMetrics(await tryRead(context, node)) : await simulatedMetrics(directory, nodeName));
    case 'metrics/cadvisor':
      return metrics(node?.usage ? await cadvisorOf(context, node) : '');
    case 'metrics/probes':
      return metrics(String(directory.probeMetrics));
    default:
      return undefined;
  }
}

interface Readings {
  readonly machine: MachineReading;
  readonly pods: readonly PodReading[];
}

async function read({ directory }: PageContext, node: DirectoryNode): Promise<Readings> {
  const pods = directory.list(node.name).map(({ pod }) => pod);
  const [machine, readings] = await Promise.all([node.usage!.machine(), node.usage!.pods(pods)]);
  return { machine, pods: readings };
}

async function tryRead(context: PageContext, node: DirectoryNode): Promise<Readings | undefined> {
  return read(context, node).catch((error: unknown) => {
    context.log.error('use of the node cannot be read', { node: node.name, error: errorMessage(error) });
    return undefined;
  });
}

async function summaryOf(context: PageContext, node: DirectoryNode, brief: boolean): Promise<unknown> {
  const { machine, pods } = await read(context, node);
  return summary(node.name, machine, pods, brief);
}

async function cadvisorOf(context: PageContext, node: DirectoryNode): Promise<string> {
  const { machine, pods } = await read(context, node);
  return cadvisorMetrics(node.version, node.machine!, machine, await shownGroups(machine, pods, (path) => node.usage!.details(path)));
}
