import type { V1Pod, V1ResourceRequirements } from '../../../api/generated/types.js';
import { quantityMilliValue, quantityValue } from '../../../api/quantity.js';
import type { NodeRuntime, PodSandboxStatus } from '../../runtime/index.js';
import { podGroupResources } from '../sandbox-config.js';
import type { ContainerResize, PodResize } from './pod-resize.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';

/**
 * Gives running containers what they were granted: where the pod grows its own group comes first, where it shrinks the containers do. Throws with
 * upstream's message when memory would go below what is in use.
 */
export async function actuate(runtime: NodeRuntime['containers'], pod: V1Pod, sandbox: PodSandboxStatus, resize: PodResize, changes: readonly ContainerResize[]): Promise<void> {
  await checkMemory(runtime, pod, changes);
  const update = async (): Promise<void> => {
    // Those that shrink make room for those that grow.
    for (const { status, to } of [...changes].sort((a, b) => growth(a) - growth(b))) {
      await runtime.updateContainerResources(status.id, to);
      resize.has(status.id, to);
    }
  };
  const whole = podGroupResources(pod);
  const grown = changes.reduce((total, change) => total + growth(change), 0);
  if (grown >= 0) await runtime.updatePodSandboxResources?.(sandbox.id, whole);
  await update();
  if (grown < 0) await runtime.updatePodSandboxResources?.(sandbox.id, whole);
}

async function checkMemory(runtime: NodeRuntime['containers'], pod: V1Pod, changes: readonly ContainerResize[]): Promise<void> {
  const shrinking = changes.filter(({ from, to }) => memory(to) > 0 && (memory(from) === 0 || memory(to) < memory(from)));
  if (shrinking.length === 0) return;
  const stats = await runtime.containerStats({ podUid: pod.metadata?.uid ?? '' });
  const used = new Map(stats.map((item) => [item.containerId, item.memory?.usageBytes ?? item.memoryWorkingSetBytes]));
  const limit = memory(podGroupResources(pod));
  const total = [...used.values()].reduce((sum, bytes) => sum + bytes, 0);
  const errors: string[] = [];
  if (limit > 0 && total >= limit) errors.push(`attempting to set pod memory limit (${limit}) below current usage (${total})`);
  for (const { container, status, to } of shrinking) {
    const bytes = used.get(status.id);
    if (bytes === undefined) errors.push(`missing container "${container.name}" memory usage`);
    else if (bytes >= memory(to)) errors.push(`attempting to set container "${container.name}" memory limit (${memory(to)}) below current usage (${bytes})`);
  }
  if (errors.length > 0) throw new Error(`cannot decrease memory limits: ${aggregateText(errors)}`);
}

function memory(resources: V1ResourceRequirements | undefined): number {
  const text = resources?.limits?.['memory'];
  return text === undefined ? 0 : quantityValue(text);
}

/** Whether a container gets more (positive) or less, cpu and memory weighed alike; a limit that is taken away is growth. */
function growth({ from, to }: ContainerResize): number {
  const cpu = (resources: V1ResourceRequirements): number => (resources.limits?.['cpu'] === undefined ? Infinity : quantityMilliValue(resources.limits['cpu']));
  const bytes = (resources: V1ResourceRequirements): number => memory(resources) || Infinity;
  return compare(cpu(to), cpu(from)) + compare(bytes(to), bytes(from));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a > b ? 1 : -1;
}
