import { Exposition } from './exposition.js';
import type { MachineReading, PodReading } from './node-usage.js';

const NANOSECONDS = 1e9;

/** The body of `/metrics/resource`. Undefined readings: they failed, which the body says. */
export function resourceMetrics(readings: { readonly machine: MachineReading; readonly pods: readonly PodReading[] } | undefined): string {
  const text = new Exposition();
  if (readings) add(text, readings.machine, readings.pods);
  const failed = readings ? 0 : 1;
  text.add('scrape_error', 'gauge', '[ALPHA] (Deprecated since 1.29.0) 1 if there was an error while getting container metrics, 0 otherwise', {}, failed);
  text.add('resource_scrape_error', 'gauge', '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise', {}, failed);
  return text.toString();
}

function add(text: Exposition, { stats, swap }: MachineReading, pods: readonly PodReading[]): void {
  text.add('node_cpu_usage_seconds_total', 'counter', '[STABLE] Cumulative cpu time consumed by the node in core-seconds', {}, stats.cpuNanoseconds / NANOSECONDS, stats.at);
  text.add('node_memory_working_set_bytes', 'gauge', '[STABLE] Current working set of the node in bytes', {}, stats.memory.workingSetBytes, stats.at);
  text.add('node_swap_usage_bytes', 'gauge', '[ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems', {}, swap.usageBytes, stats.at);
  for (const { pod, at, counters, containers } of pods) {
    const own = { namespace: pod.metadata?.namespace ?? '', pod: pod.metadata?.name ?? '' };
    for (const { status, stats: item } of containers) {
      const labels = { container: status.name, ...own };
      text.add('container_start_time_seconds', 'gauge', '[STABLE] Start time of the container since unix epoch in seconds', labels, status.startedAt / 1000);
      text.add('container_cpu_usage_seconds_total', 'counter', '[STABLE] Cumulative cpu time consumed by the container in core-seconds', labels, item.cpuNanoseconds / NANOSECONDS, item.at);
      text.add('container_memory_working_set_bytes', 'gauge', '[STABLE] Current working set of the container in bytes', labels, item.memoryWorkingSetBytes, item.at);
      text.add('container_swap_usage_bytes', 'gauge', '[ALPHA] Current amount of the container swap usage in bytes. Reported only on non-windows systems', labels, 0, item.at);
    }
    if (!counters) continue;
    text.add('pod_cpu_usage_seconds_total', 'counter', '[STABLE] Cumulative cpu time consumed by the pod in core-seconds', own, counters.cpuNanoseconds / NANOSECONDS, at);
    text.add('pod_memory_working_set_bytes', 'gauge', '[STABLE] Current working set of the pod in bytes', own, counters.workingSetBytes, at);
    text.add('pod_swap_usage_bytes', 'gauge', '[ALPHA] Current amount of the pod swap usage in bytes. Reported only on non-windows systems', own, 0, at);
  }
}
