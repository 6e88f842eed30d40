import type { V1Pod } from '../../api/generated/types.js';
import { podRequests } from '../../api/helpers/pod-resources.js';

/** What one container uses. Absent: it is not known. */
export interface ContainerUsage {
  readonly name: string;
  readonly memoryBytes?: number;
  /** What it wrote to its own file system. */
  readonly rootfsBytes?: number;
  readonly logBytes?: number;
}

/** What a pod uses of what a node can run short of. Absent: it is not known. */
export interface PodUsage {
  /** Working set of the pod as a whole. */
  readonly memoryBytes?: number;
  /** Root file systems, logs, local volumes and the pod's own files. */
  readonly ephemeralBytes?: number;
  readonly inodes?: number;
  readonly processes?: number;
  readonly containers: readonly ContainerUsage[];
  /** Bytes on disk (or in memory) of emptyDir volumes by name. */
  readonly emptyDirs: ReadonlyMap<string, number>;
}

/** Pods at least this important serve the node or the cluster itself and are never evicted. */
const SYSTEM_CRITICAL = 2_000_000_000;

/** A pod that is never evicted and always admitted: static ones, their mirrors, and those of the system's priorities. */
export function isCriticalPod(pod: V1Pod): boolean {
  const annotations = pod.metadata?.annotations ?? {};
  const source = annotations['kubernetes.io/config.source'];
  return (source !== undefined && source !== 'api') || 'kubernetes.io/config.mirror' in annotations || (pod.spec?.priority ?? 0) >= SYSTEM_CRITICAL;
}

/** What a pod requests of a resource, in units; 0 where requests mean nothing. */
export function requestOf(pod: V1Pod, resource: string): number {
  return podRequests(pod).get(resource) ?? 0;
}
