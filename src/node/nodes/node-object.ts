import { createHash } from 'node:crypto';
import os from 'node:os';
import type { V1Node, V1NodeCondition, V1NodeStatus } from '../../api/generated/types.js';
import { DEFAULT_CAPACITY, type NodeSpec } from '../options.js';
import type { RuntimeStatus, RuntimeVersion } from '../runtime/index.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** Facts of the agent that all of its nodes report. */
export interface AgentFacts {
  readonly address: string;
  readonly port: number;
  readonly kubeletVersion: string;
  readonly runtime: RuntimeVersion;
}

/** Quantities that a node has. */
export function nodeCapacity(spec: NodeSpec): Readonly<Record<string, string>> {
  return { ...DEFAULT_CAPACITY, ...spec.capacity };
}

/** Quantities that a node gives to pods. */
export function nodeAllocatable(spec: NodeSpec): Readonly<Record<string, string>> {
  return { ...nodeCapacity(spec), ...spec.allocatable };
}

/** Labels that the agent puts on a node. */
export function nodeLabels(spec: NodeSpec): Readonly<Record<string, string>> {
  const arch = architecture();
  return {
    'beta.kubernetes.io/arch': arch, 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/arch': arch, 'kubernetes.io/hostname': spec.name, 'kubernetes.io/os': 'linux', ...spec.labels,
  };
}

/** The node as it is registered. */
export function nodeObject(spec: NodeSpec, facts: AgentFacts, runtime: RuntimeStatus, now: number): V1Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: spec.name, labels: nodeLabels(spec), annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    spec: { ...(spec.taints?.length ? { taints: spec.taints } : {}) },
    status: nodeStatus(spec, facts, runtime, undefined, now),
  };
}

/** The status that the agent reports; transition times are kept from `old` where a condition is the same. */
export function nodeStatus(spec: NodeSpec, facts: AgentFacts, runtime: RuntimeStatus, old: V1Node | undefined, now: number): V1NodeStatus {
  const digest = createHash('sha256').update(spec.name).digest('hex');
  return {
    capacity: nodeCapacity(spec),
    allocatable: nodeAllocatable(spec),
    conditions: nodeConditions(runtime, old?.status?.conditions, now),
    addresses: [{ type: 'InternalIP', address: facts.address }, { type: 'Hostname', address: spec.name }],
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port } },
    nodeInfo: {
      machineID: digest.slice(0, 32),
      systemUUID: uuid(digest.slice(0, 32)),
      bootID: uuid(digest.slice(32, 64)),
      kernelVersion: os.release(),
      osImage: `${os.type()} (${facts.runtime.runtimeName})`,
      containerRuntimeVersion: `${facts.runtime.runtimeName}://${facts.runtime.runtimeVersion}`,
      kubeletVersion: facts.kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: architecture(),
    },
    features: { supplementalGroupsPolicy: true },
  };
}

/** The conditions that a node agent reports. */
export function nodeConditions(runtime: RuntimeStatus, old: readonly V1NodeCondition[] | undefined, now: number): V1NodeCondition[] {
  const ready = runtime.runtimeReady && runtime.networkReady;
  const verdicts: readonly Pick<V1NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
    { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
    ready
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: runtime.message === '' ? 'container runtime is down' : runtime.message },
  ];
  const time = timestamp(now);
  return verdicts.map((verdict) => {
    const before = old?.find((condition) => condition.type === verdict.type);
    return { ...verdict, lastHeartbeatTime: time, lastTransitionTime: before?.status === verdict.status ? (before.lastTransitionTime ?? time) : time };
  });
}

function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
