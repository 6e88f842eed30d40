import type { V1ControllerRevision } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import type { KubeObject } from '../../api/meta/object.js';
import { CONTROLLER_REVISIONS } from '../../api/resource-refs.js';
import type { LabelSelector } from '../../api/selectors/label-selector.js';
import { StatusError } from '../../api/status-error.js';
import type { Client, Informer, InformerFactory, ResourceClient } from '../../client/index.js';
import { claim } from './adoption.js';
import { ownerIndex, type OwnerIndex } from './owner-index.js';
import { safeHash } from './safe-hash.js';

/** Label of revisions: the hash in their name. */
const REVISION_HASH = 'controller.kubernetes.io/hash';

/** A revision that was found or made, and the collision count that its name needed. */
export interface RevisionResult {
  readonly revision: V1ControllerRevision;
  readonly collisionCount: number;
}

/** Snapshots of an owner's template, as ControllerRevisions. */
export class RevisionHistory {
  readonly informer: Informer<V1ControllerRevision>;
  private readonly client: ResourceClient<V1ControllerRevision>;
  private readonly byOwner: OwnerIndex<V1ControllerRevision>;

  constructor(client: Client, informers: InformerFactory) {
    this.informer = informers.informer(CONTROLLER_REVISIONS);
    this.client = client.resource(CONTROLLER_REVISIONS);
    this.byOwner = ownerIndex(this.informer);
  }

  /** The owner's revisions, the lowest first; matching orphans are adopted. */
  async list<O extends KubeObject>(owner: O, selector: LabelSelector, owners: ResourceClient<O>): Promise<V1ControllerRevision[]> {
    const claimed = await claim({ owner, reference: controllerReference(owner), selector, candidates: this.byOwner.candidatesOf(owner), owners, objects: this.client });
    return claimed.filter((revision) => controllerOf(revision)?.uid === owner.metadata?.uid).sort(byRevision);
  }

  /**
   * The revision with this data: an existing one, raised to be the newest if it is not, or a new one. `revisions` must be sorted. A name that
   * other data has already raises the collision count. `hashLabel` is the label that gets the hash of the name; default `controller.kubernetes.io/hash`.
   */
  async ensure(
    owner: KubeObject, revisions: readonly V1ControllerRevision[], data: unknown, labels: Readonly<Record<string, string>> | undefined, collisionCount: number, hashLabel = REVISION_HASH,
  ): Promise<RevisionResult> {
    const newest = revisions.at(-1);
    const equal = revisions.filter((revision) => deepEqual(revision.data, data)).at(-1);
    if (equal && equal === newest) return { revision: equal, collisionCount };
    const number = (newest?.revision ?? 0) + 1;
    if (equal) return { revision: await this.raise(equal, number), collisionCount };
    return this.create(owner, data, labels, number, collisionCount, hashLabel);
  }

  /** Deletes the oldest of the revisions that are not in use, beyond `limit`. */
  async truncate(revisions: readonly V1ControllerRevision[], inUse: ReadonlySet<string>, limit: number): Promise<void> {
    if (limit < 0) return;
    const unused = revisions.filter((revision) => !inUse.has(revision.metadata?.name ?? ''));
    for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) await this.delete(revision);
  }

  async delete(revision: V1ControllerRevision): Promise<void> {
    try {
      await this.client.delete(revision.metadata?.namespace ?? '', revision.metadata?.name ?? '');
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
    }
  }

  private async raise(revision: V1ControllerRevision, number: number): Promise<V1ControllerRevision> {
    const { namespace = '', name = '' } = revision.metadata ?? {};
    return this.client.patch(namespace, name, 'merge', { revision: number });
  }

  private async create(owner: KubeObject, data: unknown, labels: Readonly<Record<string, string>> | undefined, number: number, firstCount: number, hashLabel: string): Promise<RevisionResult> {
    const namespace = owner.metadata?.namespace ?? '';
    for (let collisionCount = firstCount; ; collisionCount++) {
      const hash = safeHash(data, collisionCount);
      const name = `${(owner.metadata?.name ?? '').slice(0, 223)}-${hash}`;
      try {
        const revision = await this.client.create({
          apiVersion: 'apps/v1',
          kind: 'ControllerRevision',
          metadata: {
            namespace,
            name,
            labels: { ...labels, [hashLabel]: hash },
            ...(owner.metadata?.annotations ? { annotations: owner.metadata.annotations } : {}),
            ownerReferences: [controllerReference(owner)],
          },
          data,
          revision: number,
        });
        return { revision, collisionCount };
      } catch (error) {
        if (!StatusError.is(error, 'AlreadyExists')) throw error;
        const existing = await this.client.get(namespace, name);
        if (deepEqual(existing.data, data) && controllerOf(existing)?.uid === owner.metadata?.uid) return { revision: existing, collisionCount };
      }
    }
  }
}

/** The lowest revision first, then the oldest, then by name. */
function byRevision(a: V1ControllerRevision, b: V1ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const timeA = a.metadata?.creationTimestamp ?? '';
  const timeB = b.metadata?.creationTimestamp ?? '';
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}

/** Data of a revision of a workload: a strategic merge patch that replaces the pod template, which clients can apply to roll back. Keys are in order, since clients compare its text. */
export function templateData(template: unknown): unknown {
  return inOrder({ spec: { template: { ...(template as object), $patch: 'replace' } } });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, inOrder(item)]));
}

/** The pod template in a revision's data. */
export function templateOf<T>(revision: V1ControllerRevision): T | undefined {
  const template = (revision.data as { spec?: { template?: Record<string, unknown> } } | undefined)?.spec?.template;
  if (!template) return undefined;
  const copy = { ...template };
  delete copy['$patch'];
  return copy as T;
}
