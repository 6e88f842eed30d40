import type { V1Node, V1Pod, V1PodSpec, V1Taint } from '../../api/generated/types.js';
import { SchedulerCache } from '../cache/scheduler-cache.js';
import type { Snapshot } from '../cache/snapshot.js';

export interface NodeShape {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly V1Taint[];
  readonly unschedulable?: boolean;
  /** Default: 4 CPUs, 8 GiB, 110 pods. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly images?: readonly { readonly names: readonly string[]; readonly sizeBytes: number }[];
}

export function makeNode(name: string, { labels, taints, unschedulable, allocatable, images }: NodeShape = {}): V1Node {
  return {
    metadata: { name, uid: `uid-${name}`, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(taints ? { taints } : {}), ...(unschedulable ? { unschedulable } : {}) },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }, ...(images ? { images } : {}) },
  };
}

export interface PodShape {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly node?: string;
  /** More fields of the spec. */
  readonly spec?: Partial<V1PodSpec>;
  readonly status?: V1Pod['status'];
}

export function makePod(name: string, { namespace = 'default', labels, requests, priority, node, spec, status }: PodShape = {}): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${name}`, ...(labels ? { labels } : {}) },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'c', image: 'busybox', ...(requests ? { resources: { requests } } : {}) }],
      ...(priority === undefined ? {} : { priority }),
      ...(node === undefined ? {} : { nodeName: node }),
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

/** A snapshot of these nodes with these (placed) pods. */
export function makeSnapshot(nodes: readonly V1Node[], pods: readonly V1Pod[] = []): Snapshot {
  const cache = new SchedulerCache();
  for (const node of nodes) cache.setNode(node);
  for (const pod of pods) cache.setPod(pod);
  return cache.snapshot();
}
