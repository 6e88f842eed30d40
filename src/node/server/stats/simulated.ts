import { timestamp } from '../../../api/meta/timestamp.js';
import type { ContainerStats } from '../../runtime/index.js';
import type { DirectoryEntry, PodDirectory } from '../pod-directory.js';

interface PodStats {
  readonly entry: DirectoryEntry;
  readonly containers: readonly ContainerStats[];
}

async function collect(directory: PodDirectory, nodeName: string | undefined): Promise<readonly PodStats[]> {
  const result: PodStats[] = [];
  for (const entry of directory.list(nodeName)) {
    result.push({ entry, containers: await entry.node.runtime.containers.containerStats({ podUid: entry.pod.metadata?.uid ?? '' }) });
  }
  return result;
}

/** The body of `/stats/summary` of nodes that pretend: use of cpu and memory by node, pod and container. */
export async function simulatedSummary(directory: PodDirectory, nodeName: string | undefined, startedAt: number, now: number): Promise<unknown> {
  const pods = await collect(directory, nodeName);
  const time = timestamp(now);
  const sum = (stats: readonly ContainerStats[]): { readonly cpu: unknown; readonly memory: unknown } => ({
    cpu: { time, usageNanoCores: stats.reduce((total, item) => total + item.cpuMillicores * 1_000_000, 0), usageCoreNanoSeconds: stats.reduce((total, item) => total + item.cpuNanoseconds, 0) },
    memory: { time, workingSetBytes: stats.reduce((total, item) => total + item.memoryWorkingSetBytes, 0) },
  });
  return {
    node: { nodeName: nodeName ?? directory.nodeNames[0] ?? '', startTime: timestamp(startedAt), ...sum(pods.flatMap((pod) => pod.containers)) },
    pods: pods
      .filter((pod) => pod.containers.length > 0)
      .map(({ entry, containers }) => ({
        podRef: { name: entry.pod.metadata?.name, namespace: entry.pod.metadata?.namespace, uid: entry.pod.metadata?.uid },
        startTime: entry.status?.startTime ?? entry.pod.status?.startTime ?? null,
        containers: containers.map((item) => ({ name: item.name, startTime: time, ...sum([item]) })),
        ...sum(containers),
      })),
  };
}

/** The body of `/metrics/resource`: the same as metrics in Prometheus' text form. */
export async function simulatedMetrics(directory: PodDirectory, nodeName: string | undefined): Promise<string> {
  const pods = await collect(directory, nodeName);
  const cpu: string[] = [];
  const memory: string[] = [];
  for (const { entry, containers } of pods) {
    for (const item of containers) {
      const labels = `{container="${item.name}",namespace="${entry.pod.metadata?.namespace}",pod="${entry.pod.metadata?.name}"}`;
      cpu.push(`container_cpu_usage_seconds_total${labels} ${item.cpuNanoseconds / 1e9} ${item.at}`);
      memory.push(`container_memory_working_set_bytes${labels} ${item.memoryWorkingSetBytes} ${item.at}`);
    }
  }
  return [
    '# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds', '# TYPE container_cpu_usage_seconds_total counter', ...cpu,
    '# HELP container_memory_working_set_bytes [STABLE] Current working set of the container in bytes', '# TYPE container_memory_working_set_bytes gauge', ...memory,
    '# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise', '# TYPE resource_scrape_error gauge', 'resource_scrape_error 0', '',
  ].join('\n');
}
