import type { V1OwnerReference } from '../../api/generated/types.js';
import { apiVersionOf, type KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Client } from '../../client/index.js';
import type { DeleteOptions } from '../../client/index.js';
import type { AbsentOwners } from './absent-owners.js';
import { FOREGROUND, ORPHAN, type GraphNode, type OwnerGraph } from './graph.js';

/** Looks a resource up by the kind that owner references name; undefined when no such kind is served. */
export type KindLookup = (apiVersion: string, kind: string) => ResourceRef | undefined;

/** The owner of a cluster-scoped object is namespaced: that cannot be resolved, and the object is left alone. */
class NamespacedOwnerError extends Error {}

/** The three kinds of owner references of an object. */
interface Classified {
  readonly solid: V1OwnerReference[];
  readonly dangling: V1OwnerReference[];
  /** Owners that are being deleted and wait for their dependents. */
  readonly waiting: V1OwnerReference[];
}

const CONFLICT_TRIES = 5;

/** Decides about single objects, on the newest state that the server has. */
export class Collector {
  constructor(
    private readonly client: Client,
    private readonly graph: OwnerGraph,
    private readonly absent: AbsentOwners,
    private readonly kinds: KindLookup,
    /** Puts another object up for a decision. */
    private readonly check: (node: GraphNode) => void,
  ) {}

  /** Deletes the object, mends its owner references, or lets its own deletion go on. `again` asks to come back. */
  async decide(node: GraphNode): Promise<'done' | 'again'> {
    if (node.deleting && !node.foreground) return 'done';
    const latest = await this.read(node.ref, node.namespace, node.name);
    if (latest?.metadata?.uid !== node.uid) {
      this.graph.remove(node.uid);
      return 'done';
    }
    if (node.foreground) {
      await this.continueForeground(node);
      return 'done';
    }
    const references = latest.metadata.ownerReferences ?? [];
    if (references.length === 0) return 'done';
    let classified: Classified;
    try {
      classified = await this.classify(node, references);
    } catch (error) {
      if (error instanceof NamespacedOwnerError) return 'done';
      throw error;
    }
    await this.act(node, latest, classified);
    // An owner that exists but was not seen yet may be gone before it is: look again.
    return classified.solid.some((reference) => !this.graph.get(reference.uid)) ? 'again' : 'done';
  }

  /** Takes the reference to the owner off all of its dependents, then the finalizer off the owner. */
  async orphanDependents(owner: GraphNode): Promise<void> {
    await Promise.all(this.graph.dependentsOf(owner.uid).map((dependent) =>
      this.changeOwners(dependent, (references) => references.filter((reference) => reference.uid !== owner.uid))));
    await this.removeFinalizer(owner, ORPHAN);
  }

  private async continueForeground(node: GraphNode): Promise<void> {
    const blocking = this.graph.blockingDependentsOf(node.uid);
    if (blocking.length === 0) return this.removeFinalizer(node, FOREGROUND);
    for (const dependent of blocking) if (!dependent.foreground) this.check(dependent);
  }

  private async classify(node: GraphNode, references: readonly V1OwnerReference[]): Promise<Classified> {
    const classified: Classified = { solid: [], dangling: [], waiting: [] };
    for (const reference of references) {
      const owner = await this.ownerOf(node, reference);
      if (!owner) classified.dangling.push(reference);
      else if (owner.metadata?.deletionTimestamp && owner.metadata.finalizers?.includes(FOREGROUND)) classified.waiting.push(reference);
      else classified.solid.push(reference);
    }
    return classified;
  }

  /** The owner on the server; undefined when it does not exist under that name, kind, namespace and UID. */
  private async ownerOf(node: GraphNode, reference: V1OwnerReference): Promise<KubeObject | undefined> {
    if (this.absent.has(reference, '') || this.absent.has(reference, node.namespace)) return undefined;
    const ref = this.kinds(reference.apiVersion, reference.kind);
    if (!ref) throw new Error(`unable to get REST mapping for ${reference.apiVersion}/${reference.kind}.`);
    if (ref.namespaced && node.namespace === '') throw new NamespacedOwnerError();
    const namespace = ref.namespaced ? node.namespace : '';
    const owner = await this.read(ref, namespace, reference.name);
    if (owner?.metadata?.uid === reference.uid) return owner;
    this.absent.add(reference, namespace);
    return undefined;
  }

  private async act(node: GraphNode, latest: KubeObject, { solid, dangling, waiting }: Classified): Promise<void> {
    if (solid.length > 0) {
      const gone = new Set([...dangling, ...waiting].map((reference) => reference.uid));
      if (gone.size > 0) await this.changeOwners(node, (references) => references.filter((reference) => !gone.has(reference.uid)));
      return;
    }
    const dependents = this.graph.dependentsOf(node.uid);
    if (waiting.length > 0 && dependents.length > 0) {
      // A circle of objects that wait for each other is broken by not blocking any more.
      if (dependents.some((dependent) => dependent.foreground)) {
        await this.changeOwners(node, (references) => references.map((reference) => ({ ...reference, blockOwnerDeletion: false })));
        return this.delete(node, undefined, 'Foreground');
      }
      return this.delete(node, latest.metadata?.resourceVersion, 'Foreground');
    }
    const finalizers = latest.metadata?.finalizers ?? [];
    const policy = finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
    await this.delete(node, latest.metadata?.resourceVersion, policy);
  }

  /** The resource version makes sure that the owner references are still those that were judged; on conflict the object is judged again. */
  private async delete(node: GraphNode, resourceVersion: string | undefined, propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>): Promise<void> {
    const preconditions = { uid: node.uid, ...(resourceVersion ? { resourceVersion } : {}) };
    try {
      await this.client.resource(node.ref).delete(node.namespace, node.name, { propagationPolicy, preconditions });
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
      this.graph.remove(node.uid);
    }
  }

  private async changeOwners(node: GraphNode, change: (references: readonly V1OwnerReference[]) => readonly V1OwnerReference[]): Promise<void> {
    await this.patchLatest(node, (latest) => {
      const references = latest.metadata?.ownerReferences ?? [];
      const next = change(references);
      return next.length === references.length && next.every((reference, i) => reference === references[i]) ? undefined : { ownerReferences: next.length > 0 ? next : null };
    });
  }

  private async removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    await this.patchLatest(node, (latest) => {
      const finalizers = latest.metadata?.finalizers ?? [];
      const next = finalizers.filter((other) => other !== finalizer);
      return next.length === finalizers.length ? undefined : { finalizers: next.length > 0 ? next : null };
    });
  }

  /** A JSON merge patch works for every kind; the resource version in it makes it safe to replace whole lists. */
  private async patchLatest(node: GraphNode, change: (latest: KubeObject) => object | undefined): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const latest = await this.read(node.ref, node.namespace, node.name);
      if (latest?.metadata?.uid !== node.uid) return;
      const metadata = change(latest);
      if (!metadata) return;
      try {
        await this.client.resource(node.ref).patch(node.namespace, node.name, 'merge', { metadata: { resourceVersion: latest.metadata.resourceVersion, uid: node.uid, ...metadata } });
        return;
      } catch (error) {
        if (StatusError.is(error, 'NotFound')) return;
        if (!StatusError.is(error, 'Conflict') || attempt >= CONFLICT_TRIES) throw error;
      }
    }
  }

  private async read(ref: ResourceRef, namespace: string, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.client.resource(ref).get(namespace, name);
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

/** How upstream prints a reference in the event about a wrong namespace. */
export function referenceText(reference: V1OwnerReference, namespace: string): string {
  return `[${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}]`;
}

/** Something that events can be about. */
export function objectOf(node: GraphNode): KubeObject {
  return { apiVersion: apiVersionOf(node.ref), kind: node.ref.kind, metadata: { ...(node.namespace ? { namespace: node.namespace } : {}), name: node.name, uid: node.uid } };
}
