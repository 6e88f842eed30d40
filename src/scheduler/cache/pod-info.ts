import type { V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { podRequests } from '../../api/helpers/pod-resources.js';
import { isPodLevelResource } from '../../api/helpers/resource-names.js';
import { errorMessage } from '../../base/errors.js';
import { parseTerms, parseWeightedTerms, type AffinityTerm, type WeightedAffinityTerm } from './affinity-term.js';
import { hostPortsOf, type HostPort } from './host-ports.js';
import { toResources, type Resources } from './resources.js';

/** What scoring assumes of a container that requests no CPU: a tenth of a core. */
const DEFAULT_MILLI_CPU = 100;
/** What scoring assumes of a container that requests no memory: 200 MiB. */
const DEFAULT_MEMORY = 200 * 1024 * 1024;

interface Terms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
}

const NO_TERMS: Terms = { requiredAffinity: [], requiredAntiAffinity: [], preferredAffinity: [], preferredAntiAffinity: [] };

interface Needs {
  readonly requested: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
}

/** A pod with what the scheduler computes from it; the costly parts on first use. Immutable. */
export class PodInfo {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly priority: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  private termsMemo: Terms | undefined;
  private termsErrorMemo: string | undefined;
  private needsMemo: Needs | undefined;
  private portsMemo: readonly HostPort[] | undefined;
  private claimsMemo: readonly string[] | undefined;

  constructor(
    readonly pod: V1Pod,
    /** The node, when it differs from what the object says (a pod that was placed but not bound yet). */
    readonly nodeName: string = pod.spec?.nodeName ?? '',
  ) {
    const meta = pod.metadata;
    this.namespace = meta?.namespace ?? '';
    this.name = meta?.name ?? '';
    this.uid = meta?.uid ?? '';
    this.key = `${this.namespace}/${this.name}`;
    this.priority = pod.spec?.priority ?? 0;
    this.labels = meta?.labels;
  }

  /** The same pod placed on a node. */
  on(nodeName: string): PodInfo {
    const placed = new PodInfo(this.pod, nodeName);
    placed.termsMemo = this.termsMemo;
    placed.termsErrorMemo = this.termsErrorMemo;
    placed.needsMemo = this.needsMemo;
    placed.portsMemo = this.portsMemo;
    placed.claimsMemo = this.claimsMemo;
    return placed;
  }

  /** A newer state of the same pod whose spec has not changed keeps what was computed from the spec. */
  withState(pod: V1Pod, sameSpec: boolean): PodInfo {
    const next = new PodInfo(pod);
    if (sameSpec) {
      next.portsMemo = this.portsMemo;
      next.claimsMemo = this.claimsMemo;
      if (!this.pod.spec?.affinity) next.termsMemo = NO_TERMS;
      if (sameResources(this.pod, pod)) next.needsMemo = this.needsMemo;
    }
    return next;
  }

  get terminating(): boolean {
    return this.pod.metadata?.deletionTimestamp !== undefined;
  }

  /** Requests, counting a resize in progress. */
  get requested(): Resources {
    return this.needs().requested;
  }

  /** CPU requests with a stand-in for containers that request none; for scoring. */
  get nonZeroMilliCpu(): number {
    return this.needs().nonZeroMilliCpu;
  }

  /** Memory requests with a stand-in for containers that request none; for scoring. */
  get nonZeroMemory(): number {
    return this.needs().nonZeroMemory;
  }

  get hostPorts(): readonly HostPort[] {
    return (this.portsMemo ??= hostPortsOf(this.pod));
  }

  /** `namespace/name` of the claims that the pod's volumes name. */
  get claimKeys(): readonly string[] {
    return (this.claimsMemo ??= claimKeysOf(this));
  }

  get requiredAffinity(): readonly AffinityTerm[] {
    return this.terms().requiredAffinity;
  }

  get requiredAntiAffinity(): readonly AffinityTerm[] {
    return this.terms().requiredAntiAffinity;
  }

  get preferredAffinity(): readonly WeightedAffinityTerm[] {
    return this.terms().preferredAffinity;
  }

  get preferredAntiAffinity(): readonly WeightedAffinityTerm[] {
    return this.terms().preferredAntiAffinity;
  }

  /** Has any term of inter-pod affinity or anti-affinity. */
  get hasAffinity(): boolean {
    const affinity = this.pod.spec?.affinity;
    return affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined;
  }

  /** What is wrong with the affinity terms; such a pod counts as one without. */
  get termsError(): string | undefined {
    this.terms();
    return this.termsErrorMemo;
  }

  private terms(): Terms {
    if (this.termsMemo) return this.termsMemo;
    try {
      this.termsMemo = parsePodTerms(this.pod);
    } catch (error) {
      this.termsErrorMemo = errorMessage(error);
      this.termsMemo = NO_TERMS;
    }
    return this.termsMemo;
  }

  private needs(): Needs {
    return (this.needsMemo ??= computeNeeds(this.pod));
  }
}

/** Whether a resize can have changed what the pod requests. */
function sameResources(a: V1Pod, b: V1Pod): boolean {
  const inputs = ({ status }: V1Pod): unknown[] => [
    status?.containerStatuses?.map((one) => [one.resources, one.allocatedResources]),
    status?.initContainerStatuses?.map((one) => [one.resources, one.allocatedResources]),
    status?.resources,
    status?.allocatedResources,
    status?.conditions?.find((one) => one.type === 'PodResizePending')?.reason,
  ];
  return deepEqual(inputs(a), inputs(b));
}

function parsePodTerms(pod: V1Pod): Terms {
  const affinity = pod.spec?.affinity;
  if (!affinity?.podAffinity && !affinity?.podAntiAffinity) return NO_TERMS;
  const { podAffinity, podAntiAffinity } = affinity;
  return {
    requiredAffinity: parseTerms(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: parseTerms(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: parseWeightedTerms(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: parseWeightedTerms(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

function computeNeeds(pod: V1Pod): Needs {
  const requests = podRequests(pod, { useStatus: true });
  const nonMissing: Record<string, number> = {};
  const podLevel = Object.keys(pod.spec?.resources?.requests ?? {}).some(isPodLevelResource);
  if (!podLevel || !requests.has('cpu')) nonMissing['cpu'] = DEFAULT_MILLI_CPU;
  if (!podLevel || !requests.has('memory')) nonMissing['memory'] = DEFAULT_MEMORY;
  const nonZero = everyContainerRequests(pod) ? requests : podRequests(pod, { useStatus: true, nonMissing });
  return { requested: toResources(requests), nonZeroMilliCpu: nonZero.get('cpu') ?? 0, nonZeroMemory: nonZero.get('memory') ?? 0 };
}

function everyContainerRequests(pod: V1Pod): boolean {
  const complete = (one: { readonly resources?: { readonly requests?: Readonly<Record<string, string>> } }): boolean =>
    one.resources?.requests?.['cpu'] !== undefined && one.resources.requests['memory'] !== undefined;
  return (pod.spec?.containers ?? []).every(complete) && (pod.spec?.initContainers ?? []).every(complete);
}

function claimKeysOf({ pod, namespace }: PodInfo): readonly string[] {
  const keys: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim) keys.push(`${namespace}/${volume.persistentVolumeClaim.claimName}`);
  }
  return keys;
}
