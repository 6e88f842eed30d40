import type { V1CSIDriver, V1CSIStorageCapacity, V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import { quantityValue } from '../../api/quantity.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { Client, Lister } from '../../client/index.js';
import { PodSelector } from '../framework/pod-selector.js';
import type { AssumeCache } from './assume-cache.js';
import { findMatchingVolume, isBoundTo, storageBytes, volumeFitsNode } from './matching-volume.js';
import { claimVolumes, classOfClaim, notForPod } from './pod-claims.js';

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Index of volumes by storage class. */
export const VOLUMES_BY_CLASS = 'scheduler/storageClass';

/** The claims of a pod by what has to be done about them. */
export interface PodVolumeClaims {
  readonly bound: readonly V1PersistentVolumeClaim[];
  /** Unbound, to be bound once the node is known (`WaitForFirstConsumer`). */
  readonly delayed: readonly V1PersistentVolumeClaim[];
  /** Unbound, waiting for a controller. */
  readonly immediate: readonly V1PersistentVolumeClaim[];
}

interface Binding {
  readonly volume: V1PersistentVolume;
  readonly claim: V1PersistentVolumeClaim;
}

/** What a pod's claims get if it goes to a certain node. */
export interface NodeVolumes {
  readonly bindings: readonly Binding[];
  /** Claims for which a volume is to be made. */
  readonly provisions: readonly V1PersistentVolumeClaim[];
}

const VOLUME_REASONS = {
  bindConflict: "node(s) didn't find available persistent volumes to bind",
  nodeConflict: "node(s) didn't match PersistentVolume's node affinity",
  notEnoughSpace: 'node(s) did not have enough free storage',
  volumeMissing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const;

export interface VolumeBinderContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly claims: AssumeCache<V1PersistentVolumeClaim>;
  /** Has the index {@link VOLUMES_BY_CLASS}. */
  readonly volumes: AssumeCache<V1PersistentVolume>;
  readonly classes: Lister<V1StorageClass>;
  readonly drivers: Lister<V1CSIDriver>;
  readonly capacities: Lister<V1CSIStorageCapacity>;
  readonly nodes: Lister<V1Node>;
  readonly pods: Lister<V1Pod>;
  readonly bindTimeoutMilliseconds: number;
}

/** Chooses volumes for pods, writes the choice and waits until controllers have carried it out. */
export class VolumeBinder {
  constructor(private readonly context: VolumeBinderContext) {}

  /** Sorts out the claims of a pod. Throws when one does not exist. */
  claimsOf(pod: V1Pod): PodVolumeClaims {
    const namespace = pod.metadata?.namespace ?? '';
    const result = { bound: [] as V1PersistentVolumeClaim[], delayed: [] as V1PersistentVolumeClaim[], immediate: [] as V1PersistentVolumeClaim[] };
    for (const { claimName, ephemeral } of claimVolumes(pod)) {
      const claim = this.context.claims.get(namespace, claimName);
      if (!claim) throw new Error(`error getting PVC "${namespace}/${claimName}": could not find v1.PersistentVolumeClaim "${namespace}/${claimName}"`);
      const problem = ephemeral ? notForPod(pod, claim) : undefined;
      if (problem !== undefined) throw new Error(problem);
      if (isFullyBound(claim)) result.bound.push(claim);
      else if (!claim.spec?.volumeName && this.isDelayed(claim)) result.delayed.push(claim);
      else result.immediate.push(claim);
    }
    return result;
  }

  /** Looks for volumes on a node: what it would use, or why not. Throws on inconsistent objects. */
  find(claims: PodVolumeClaims, node: V1Node): NodeVolumes | readonly string[] {
    const reasons: string[] = [];
    for (const claim of claims.bound) {
      const volume = this.context.volumes.get('', claim.spec?.volumeName ?? '');
      if (volume && volumeFitsNode(volume, node)) continue;
      reasons.push(volume ? VOLUME_REASONS.nodeConflict : VOLUME_REASONS.volumeMissing);
      break;
    }
    const found = this.findDelayed(claims.delayed, node);
    if (typeof found === 'string') reasons.push(found);
    return reasons.length > 0 || typeof found === 'string' ? reasons : found;
  }

  /** Takes the choice as done for the pods that follow. Returns what is to be written; undefined: everything is bound. */
  assume(pod: V1Pod, nodeName: string, found: NodeVolumes): NodeVolumes | undefined {
    const { immediate, delayed } = this.claimsOf(pod);
    if (immediate.length === 0 && delayed.length === 0) return undefined;
    const bindings = found.bindings.map(({ volume, claim }): Binding => {
      const reserved = reserveFor(volume, claim);
      this.context.volumes.assume(reserved);
      return { volume: reserved, claim };
    });
    const provisions = found.provisions.map((claim): V1PersistentVolumeClaim => {
      const annotations = { ...claim.metadata?.annotations, [SELECTED_NODE]: nodeName };
      const selected = { ...claim, metadata: { ...claim.metadata, annotations } };
      this.context.claims.assume(selected);
      return selected;
    });
    return { bindings, provisions };
  }

  /** Undoes {@link assume}. */
  revert({ bindings, provisions }: NodeVolumes): void {
    for (const { volume } of bindings) this.context.volumes.restore(volume);
    for (const claim of provisions) this.context.claims.restore(claim);
  }

  /** Writes the choice and waits until all claims are bound. Rejects when that cannot be any more, or takes too long. */
  async bind(pod: V1Pod, nodeName: string, assumed: NodeVolumes, signal: AbortSignal): Promise<void> {
    const volumeClient = this.context.client.resource(PERSISTENT_VOLUMES);
    const claimClient = this.context.client.resource(PERSISTENT_VOLUME_CLAIMS);
    const written: { bindings: Binding[]; provisions: V1PersistentVolumeClaim[] } = { bindings: [], provisions: [] };
    for (const { volume, claim } of assumed.bindings) written.bindings.push({ volume: await volumeClient.update(volume), claim });
    for (const claim of assumed.provisions) written.provisions.push(await claimClient.update(claim));
    await this.waitUntilBound(() => this.isDone(pod, nodeName, written), signal);
  }

  private findDelayed(delayed: readonly V1PersistentVolumeClaim[], node: V1Node): NodeVolumes | string {
    const toProvision: V1PersistentVolumeClaim[] = [];
    const toMatch: V1PersistentVolumeClaim[] = [];
    for (const claim of delayed) {
      const selected = claim.metadata?.annotations?.[SELECTED_NODE];
      if (selected === undefined) toMatch.push(claim);
      else if (selected === node.metadata?.name) toProvision.push(claim);
      else return VOLUME_REASONS.bindConflict;
    }
    const bindings: Binding[] = [];
    const taken = new Set<string>();
    // Small claims first, lest they take the volumes that only suit large ones.
    toMatch.sort((a, b) => storageBytes(a.spec?.resources?.requests) - storageBytes(b.spec?.resources?.requests));
    for (const claim of toMatch) {
      const volume = findMatchingVolume(claim, this.context.volumes.byIndex(VOLUMES_BY_CLASS, classOfClaim(claim)), node, taken);
      if (!volume) toProvision.push(claim);
      else {
        taken.add(volume.metadata?.name ?? '');
        bindings.push({ volume, claim });
      }
    }
    for (const claim of toProvision) {
      const problem = this.provisionProblem(claim, node);
      if (problem !== undefined) return problem;
    }
    return { bindings, provisions: toProvision };
  }

  private provisionProblem(claim: V1PersistentVolumeClaim, node: V1Node): string | undefined {
    const className = classOfClaim(claim);
    const storageClass = this.context.classes.get('', className);
    if (!storageClass) throw new Error(`failed to find storage class "${className}"`);
    const { provisioner } = storageClass;
    if (!provisioner || provisioner === NO_PROVISIONER) return VOLUME_REASONS.bindConflict;
    const labels = node.metadata?.labels ?? {};
    const topologies = storageClass.allowedTopologies ?? [];
    const allowed = topologies.some((term) => (term.matchLabelExpressions ?? []).every(({ key, values }) => labels[key] !== undefined && values.includes(labels[key])));
    if (topologies.length > 0 && !allowed) return VOLUME_REASONS.bindConflict;
    return this.hasCapacity(provisioner, claim, className, labels) ? undefined : VOLUME_REASONS.notEnoughSpace;
  }

  private hasCapacity(provisioner: string, claim: V1PersistentVolumeClaim, className: string, labels: Readonly<Record<string, string>>): boolean {
    if (claim.spec?.resources?.requests?.['storage'] === undefined) return true;
    if (!this.context.drivers.get('', provisioner)?.spec?.storageCapacity) return true;
    const wanted = storageBytes(claim.spec.resources.requests);
    return this.context.capacities.list().some((one) => {
      const limit = one.maximumVolumeSize ?? one.capacity;
      return one.storageClassName === className && limit !== undefined && quantityValue(limit) >= wanted && PodSelector.fromObject(one.nodeTopology).matches(labels);
    });
  }

  private isDelayed(claim: V1PersistentVolumeClaim): boolean {
    const className = classOfClaim(claim);
    const storageClass = className === '' ? undefined : this.context.classes.get('', className);
    if (!storageClass) return false;
    if (storageClass.volumeBindingMode === undefined) throw new Error(`VolumeBindingMode not set for StorageClass "${className}"`);
    return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  }

  private isDone(pod: V1Pod, nodeName: string, written: NodeVolumes): boolean {
    const node = this.context.nodes.get('', nodeName);
    if (!node) throw new Error(`failed to get node "${nodeName}": node "${nodeName}" not found`);
    if (!this.context.pods.get(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '')) throw new Error(`pod does not exist any more: pod "${pod.metadata?.name}" not found`);
    const checkNode = (volume: V1PersistentVolume): void => {
      if (!volumeFitsNode(volume, node)) throw new Error(`pv "${volume.metadata?.name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`);
    };
    let done = true;
    for (const { volume, claim } of written.bindings) {
      const stored = this.context.volumes.stored('', volume.metadata?.name ?? '');
      if (!stored || isOlder(stored, volume)) {
        done = false;
        continue;
      }
      checkNode(stored);
      if (!stored.spec?.claimRef?.uid) throw new Error(`ClaimRef got reset for pv "${stored.metadata?.name}"`);
      if (!isFullyBound(this.storedClaim(claim))) done = false;
    }
    for (const claim of written.provisions) {
      const stored = this.storedClaim(claim);
      if (isOlder(stored, claim)) {
        done = false;
        continue;
      }
      if (stored.metadata?.annotations?.[SELECTED_NODE] !== nodeName) throw new Error(`provisioning failed for PVC "${stored.metadata?.name}"`);
      const volume = stored.spec?.volumeName ? this.context.volumes.stored('', stored.spec.volumeName) : undefined;
      if (volume) checkNode(volume);
      if (!volume || !isFullyBound(stored)) done = false;
    }
    return done;
  }

  private storedClaim({ metadata }: V1PersistentVolumeClaim): V1PersistentVolumeClaim {
    const stored = this.context.claims.stored(metadata?.namespace ?? '', metadata?.name ?? '');
    if (!stored) throw new Error(`failed to check binding: persistentvolumeclaim "${metadata?.name}" not found`);
    return stored;
  }

  private waitUntilBound(isDone: () => boolean, signal: AbortSignal): Promise<void> {
    const { claims, volumes, clock, bindTimeoutMilliseconds } = this.context;
    return new Promise((resolve, reject) => {
      const end = (error?: unknown): void => {
        cancelTimer();
        stopClaims();
        stopVolumes();
        signal.removeEventListener('abort', abort);
        if (error === undefined) resolve();
        else reject(new Error(`binding volumes: ${error instanceof Error ? error.message : String(error)}`));
      };
      const check = (): void => {
        try {
          if (isDone()) end();
        } catch (error) {
          end(error);
        }
      };
      const abort = (): void => end(new Error('context canceled'));
      const cancelTimer = clock.setTimeout(() => end(new Error('context deadline exceeded')), bindTimeoutMilliseconds);
      const stopClaims = claims.onChange(check);
      const stopVolumes = volumes.onChange(check);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else check();
    });
  }
}

function isFullyBound(claim: V1PersistentVolumeClaim): boolean {
  return Boolean(claim.spec?.volumeName) && claim.metadata?.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether what we see is from before what we wrote. */
function isOlder(seen: V1PersistentVolume | V1PersistentVolumeClaim, written: V1PersistentVolume | V1PersistentVolumeClaim): boolean {
  return BigInt(seen.metadata?.resourceVersion ?? '0') < BigInt(written.metadata?.resourceVersion ?? '0');
}

function reserveFor(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): V1PersistentVolume {
  const annotations = isBoundTo(volume, claim) ? volume.metadata?.annotations : { [BOUND_BY_CONTROLLER]: 'yes', ...volume.metadata?.annotations };
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: claim.metadata?.namespace,
    name: claim.metadata?.name,
    uid: claim.metadata?.uid,
    resourceVersion: claim.metadata?.resourceVersion,
  };
  return { ...volume, metadata: { ...volume.metadata, ...(annotations ? { annotations } : {}) }, spec: { ...volume.spec, claimRef } };
}
