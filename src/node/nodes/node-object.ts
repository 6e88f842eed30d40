import { createHash } from 'node:crypto';
import os from 'node:os';
import type { V1Node, V1NodeCondition, V1NodeStatus } from '../../api/generated/types.js';
import { DEFAULT_CAPACITY, type NodeSpec } from '../options.js';
import type { Machine } from '../machine/machine.js';
import type { PressureCondition } from '../eviction/index.js';
import type { Image, ImageService, RuntimeStatus, RuntimeVersion } from '../runtime/index.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** Facts of the agent that all of its nodes report. */
export interface AgentFacts {
  readonly address: string;
  readonly port: number;
  readonly kubeletVersion: string;
  readonly runtime: RuntimeVersion;
  /** Absent on nodes that pretend. */
  readonly machine?: Machine | undefined;
  /** Whose images the node reports; absent: none. */
  readonly images?: ImageService | undefined;
  /** What the node is short of. Default: nothing. */
  readonly pressure?: () => readonly PressureCondition[];
}

/** Quantities that a node has. */
export function nodeCapacity(spec: NodeSpec, machine?: Machine): Readonly<Record<string, string>> {
  return { ...(machine?.capacity ?? DEFAULT_CAPACITY), ...spec.capacity };
}

/** Quantities that a node gives to pods. */
export function nodeAllocatable(spec: NodeSpec, machine?: Machine): Readonly<Record<string, string>> {
  return { ...nodeCapacity(spec, machine), ...(spec.capacity ? {} : machine?.allocatable), ...spec.allocatable };
}

/** Labels that the agent puts on a node. */
export function nodeLabels(spec: NodeSpec): Readonly<Record<string, string>> {
  const arch = architecture();
  return {
    'beta.kubernetes.io/arch': arch, 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/arch': arch, 'kubernetes.io/hostname': spec.name, 'kubernetes.io/os': 'linux', ...spec.labels,
  };
}

/** The node as it is registered. */
export function nodeObject(spec: NodeSpec, facts: AgentFacts, runtime: RuntimeStatus, images: readonly Image[], now: number): V1Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: spec.name, labels: nodeLabels(spec), annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    spec: { ...(spec.taints?.length ? { taints: spec.taints } : {}) },
    status: nodeStatus(spec, facts, runtime, images, undefined, now),
  };
}

/** The status that the agent reports; transition times are kept from `old` where a condition is the same. */
export function nodeStatus(spec: NodeSpec, facts: AgentFacts, runtime: RuntimeStatus, images: readonly Image[], old: V1Node | undefined, now: number): V1NodeStatus {
  const { machine } = facts;
  const digest = createHash('sha256').update(spec.name).digest('hex');
  return {
    capacity: nodeCapacity(spec, machine),
    allocatable: nodeAllocatable(spec, machine),
    conditions: nodeConditions(runtime, old?.status?.conditions, now, facts.pressure?.()),
    addresses: [{ type: 'InternalIP', address: facts.address }, { type: 'Hostname', address: spec.name }],
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port } },
    nodeInfo: {
      machineID: machine?.machineId ?? digest.slice(0, 32),
      systemUUID: machine?.systemUuid ?? uuid(digest.slice(0, 32)),
      bootID: machine?.bootId ?? uuid(digest.slice(32, 64)),
      kernelVersion: machine?.kernelVersion ?? os.release(),
      osImage: machine?.osImage ?? `${os.type()} (${facts.runtime.runtimeName})`,
      containerRuntimeVersion: `${facts.runtime.runtimeName}://${facts.runtime.runtimeVersion}`,
      kubeletVersion: facts.kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: architecture(),
    },
    ...(images.length > 0 ? { images: nodeImages(images) } : {}),
    ...(machine ? { runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } }] } : {}),
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: DECLARED_FEATURES,
  };
}

/** Features of the node agent that the API server and the scheduler ask for before they let a pod use them, sorted. */
const DECLARED_FEATURES = ['InPlacePodLevelResourcesVerticalScaling', 'RestartAllContainersOnContainerExits'];

/** Upstream's limits on what a node reports of its images. */
const MAX_IMAGES = 50;
const MAX_NAMES = 5;

/** The biggest images, each with some of its names. */
function nodeImages(images: readonly Image[]): { readonly names: string[]; readonly sizeBytes: number }[] {
  return [...images]
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, MAX_IMAGES)
    .map((image) => ({ names: [...image.names].sort((a, b) => Number(b.includes('@')) - Number(a.includes('@'))).slice(0, MAX_NAMES), sizeBytes: image.sizeBytes }));
}

/** Upstream's words for being short of something, and for not being so. */
const PRESSURES: readonly { readonly type: PressureCondition; readonly under: Words; readonly fine: Words }[] = [
  {
    type: 'MemoryPressure',
    under: { reason: 'KubeletHasInsufficientMemory', message: 'kubelet has insufficient memory available' },
    fine: { reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  },
  { type: 'DiskPressure', under: { reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' }, fine: { reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' } },
  { type: 'PIDPressure', under: { reason: 'KubeletHasInsufficientPID', message: 'kubelet has insufficient PID available' }, fine: { reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' } },
];

interface Words {
  readonly reason: string;
  readonly message: string;
}

/** Reason of the event about a condition of pressure that changed. */
export function pressureEvent(type: PressureCondition, under: boolean): string {
  const found = PRESSURES.find((item) => item.type === type)!;
  return (under ? found.under : found.fine).reason.replace('Kubelet', 'Node');
}

/** The conditions that a node agent reports. */
export function nodeConditions(runtime: RuntimeStatus, old: readonly V1NodeCondition[] | undefined, now: number, pressure: readonly PressureCondition[] = []): V1NodeCondition[] {
  const ready = runtime.runtimeReady && runtime.networkReady;
  const verdicts: readonly Pick<V1NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
    ...PRESSURES.map(({ type, under, fine }) => (pressure.includes(type) ? { type, status: 'True', ...under } : { type, status: 'False', ...fine })),
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
