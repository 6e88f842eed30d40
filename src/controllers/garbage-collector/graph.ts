import type { V1OwnerReference } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { apiVersionOf } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';

/** Finalizers with which the API server marks how dependents are to be treated. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** What the collector remembers of one object. */
export interface GraphNode {
  readonly uid: string;
  readonly ref: ResourceRef;
  readonly namespace: string;
  readonly name: string;
  owners: readonly V1OwnerReference[];
  deleting: boolean;
  /** It is being deleted and waits for its dependents to be deleted. */
  foreground: boolean;
  /** It is being deleted and waits for its dependents to be orphaned. */
  orphaning: boolean;
}

/** What has to be done because the graph changed; calls only take notes. */
export interface GraphListener {
  /** The object's owners may be gone, or its own deletion may go on. */
  check(node: GraphNode): void;
  /** The object's dependents must lose their reference to it. */
  orphan(node: GraphNode): void;
  /** Known owner references turned out to be wrong. */
  wrongNamespace(node: GraphNode, reference: V1OwnerReference): void;
  /** An owner is gone for certain. */
  absent(node: GraphNode): void;
}

const NO_OWNERS: readonly V1OwnerReference[] = [];

/** All objects by UID, with the edges from owners to dependents. Owners that were never seen have edges too. */
export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();
  private readonly dependents = new Map<string, Set<GraphNode>>();
  private complete = false;

  constructor(private readonly listener: GraphListener) {}

  get(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  get size(): number {
    return this.nodes.size;
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.dependents.get(uid) ?? [])];
  }

  /** Dependents whose reference to the owner blocks its deletion in the foreground. */
  blockingDependentsOf(uid: string): readonly GraphNode[] {
    return this.dependentsOf(uid).filter((node) => node.owners.some((reference) => reference.uid === uid && reference.blockOwnerDeletion));
  }

  /** From now on owners that are not in the graph are suspicious; before, they may just not have been listed yet. */
  becomeComplete(): void {
    if (this.complete) return;
    this.complete = true;
    for (const node of this.nodes.values()) this.checkOwners(node, node.owners);
  }

  /** Takes an object in, as it is now. */
  put(ref: ResourceRef, object: KubeObject): GraphNode | undefined {
    const { uid, namespace = '', name = '', ownerReferences = NO_OWNERS, deletionTimestamp, finalizers } = object.metadata ?? {};
    if (!uid) return undefined;
    let node = this.nodes.get(uid);
    if (!node) {
      node = { uid, ref, namespace, name, owners: ownerReferences, deleting: false, foreground: false, orphaning: false };
      this.nodes.set(uid, node);
      for (const reference of ownerReferences) this.link(node, reference.uid);
      this.checkOwners(node, ownerReferences);
      this.checkDependents(node);
    } else if (node.owners !== ownerReferences) this.replaceOwners(node, ownerReferences);
    if (deletionTimestamp) this.noteDeletion(node, finalizers ?? []);
    return node;
  }

  /** The object is gone. `certain` is false when merely nobody watches it any more. */
  remove(uid: string, certain = true): void {
    const node = this.nodes.get(uid);
    if (!node) return;
    this.nodes.delete(uid);
    for (const reference of node.owners) this.unlink(node, reference.uid);
    const dependents = this.dependentsOf(uid);
    if (dependents.length > 0 && certain) this.listener.absent(node);
    for (const dependent of dependents) this.listener.check(dependent);
    for (const reference of node.owners) {
      const owner = this.nodes.get(reference.uid);
      if (owner?.foreground) this.listener.check(owner);
    }
  }

  private noteDeletion(node: GraphNode, finalizers: readonly string[]): void {
    node.deleting = true;
    if (finalizers.includes(ORPHAN)) {
      if (!node.orphaning) {
        node.orphaning = true;
        this.listener.orphan(node);
      }
      return;
    }
    node.orphaning = false;
    const foreground = finalizers.includes(FOREGROUND);
    if (foreground && !node.foreground) {
      node.foreground = true;
      for (const dependent of this.dependentsOf(node.uid)) this.listener.check(dependent);
      this.listener.check(node);
    } else if (!foreground) node.foreground = false;
  }

  private replaceOwners(node: GraphNode, owners: readonly V1OwnerReference[]): void {
    const before = node.owners;
    node.owners = owners;
    // There may be very many.
    const known = new Set(before.map(({ uid }) => uid));
    const present = new Map([...owners].reverse().map((reference) => [reference.uid, reference]));
    const added = owners.filter(({ uid }) => !known.has(uid));
    for (const reference of added) this.link(node, reference.uid);
    for (const old of before) {
      const now = present.get(old.uid);
      if (!now) this.unlink(node, old.uid);
      // An owner that waited for this dependent may go on.
      const owner = old.blockOwnerDeletion && !now?.blockOwnerDeletion ? this.nodes.get(old.uid) : undefined;
      if (owner) this.listener.check(owner);
    }
    this.checkOwners(node, added);
  }

  /** Owners that are unknown, or known under another name, have to be looked up. An owner that waits for its dependents wants them checked too. */
  private checkOwners(node: GraphNode, references: readonly V1OwnerReference[]): void {
    if (!this.complete) return;
    let suspicious = false;
    for (const reference of references) {
      const owner = this.nodes.get(reference.uid);
      if (!owner || !matches(reference, owner)) suspicious = true;
      else if (owner.namespace !== '' && owner.namespace !== node.namespace) {
        suspicious = true;
        this.listener.wrongNamespace(node, reference);
      } else if (owner.foreground) suspicious = true;
    }
    if (suspicious) this.listener.check(node);
  }

  /** Dependents that were seen before their owner may have it wrong. */
  private checkDependents(owner: GraphNode): void {
    if (!this.complete) return;
    for (const dependent of this.dependentsOf(owner.uid)) this.checkOwners(dependent, dependent.owners.filter((reference) => reference.uid === owner.uid));
  }

  private link(node: GraphNode, ownerUid: string): void {
    const set = this.dependents.get(ownerUid);
    if (set) set.add(node);
    else this.dependents.set(ownerUid, new Set([node]));
  }

  private unlink(node: GraphNode, ownerUid: string): void {
    const set = this.dependents.get(ownerUid);
    set?.delete(node);
    if (set?.size === 0) this.dependents.delete(ownerUid);
  }
}

/** True when the reference names the object by its present name, kind and group. */
function matches(reference: V1OwnerReference, owner: GraphNode): boolean {
  return reference.name === owner.name && reference.kind === owner.ref.kind && groupOf(reference.apiVersion) === groupOf(apiVersionOf(owner.ref));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
