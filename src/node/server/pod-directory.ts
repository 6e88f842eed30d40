import type { V1Pod, V1PodStatus } from '../../api/generated/types.js';
import type { Machine } from '../machine/machine.js';
import type { NodeContext } from '../pods/node-context.js';
import type { ProbeMetrics } from '../probes/probe-metrics.js';
import type { RuntimeService } from '../runtime/index.js';
import type { ShownConfig } from './configz.js';
import type { NodeUsage } from './stats/index.js';

/** A pod that the agent runs. */
export interface DirectoryEntry {
  readonly pod: V1Pod;
  /** Newer than the object's own. */
  readonly status: V1PodStatus | undefined;
  readonly node: NodeContext;
}

/** A node that the agent runs. */
export interface DirectoryNode {
  readonly name: string;
  readonly runtime: RuntimeService;
  readonly config: ShownConfig;
  /** The agent's version. */
  readonly version: string;
  /** Absent on nodes that pretend. */
  readonly usage?: NodeUsage | undefined;
  readonly machine?: Machine | undefined;
}

/** What the agent's server knows of its pods. */
export interface PodDirectory {
  node(name: string): DirectoryNode | undefined;
  readonly probeMetrics: ProbeMetrics;
  find(namespace: string, name: string): DirectoryEntry | undefined;
  /** Pods of one node, or of all. */
  list(nodeName?: string): readonly DirectoryEntry[];
  readonly nodeNames: readonly string[];
}

/** Answers a request with a plain text error. */
export class HttpError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

/** The pod, or a 404. */
export function requirePod(directory: PodDirectory, namespace: string, name: string): DirectoryEntry {
  const entry = directory.find(namespace, name);
  if (!entry) throw new HttpError(404, `pod "${name}" does not exist`);
  return entry;
}

/** The id in the runtime of `runtime://id`. */
export function runtimeId(containerId: string): string {
  return containerId.slice(containerId.indexOf('://') + 3);
}
