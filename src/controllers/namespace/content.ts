import type { V1Pod } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { Client } from '../../client/index.js';
import { discover, discoveryFailureText, type DiscoveredResource } from '../shared/discovery.js';

/** What is left in a namespace after an attempt to delete everything in it. */
export interface ContentReport {
  /** Why not all resources are known. */
  readonly discoveryFailure: string | undefined;
  readonly errors: readonly string[];
  /** Objects left by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects left by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Pods are left; nothing else was touched. */
  readonly waitsForPods: boolean;
  /** Seconds that it may take until what is left has gone; 0 when nothing is. */
  readonly estimateSeconds: number;
}

interface Tally {
  readonly errors: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  estimateSeconds: number;
}

/** Objects with finalizers are given this long. */
const FINALIZER_SECONDS = 15;
/** Resources emptied at the same time. */
const PARALLEL = 8;

/**
 * Deletes what a namespace contains: pods first, and only when all of them have gone the rest, so that a pod never outlives the policies and secrets it
 * depends on. `deletedSeconds` is how long ago the namespace was deleted.
 */
export async function deleteContent(client: Client, namespace: string, deletedSeconds: number): Promise<ContentReport> {
  const tally: Tally = { errors: [], remaining: new Map(), finalizers: new Map(), estimateSeconds: 0 };
  const { resources, failure } = await namespacedResources(client);
  if (failure !== undefined) tally.errors.push(failure);
  const isPods = (ref: ResourceRef): boolean => ref.group === '' && ref.resource === 'pods';
  const pods = resources.find(isPods);
  if (pods) await empty(client, pods, namespace, deletedSeconds, tally);
  const waitsForPods = tally.remaining.size > 0;
  if (!waitsForPods) {
    const rest = resources.filter((ref) => !isPods(ref));
    for (let from = 0; from < rest.length; from += PARALLEL) {
      await Promise.all(rest.slice(from, from + PARALLEL).map((ref) => empty(client, ref, namespace, deletedSeconds, tally)));
    }
  }
  const errors = failure === undefined ? tally.errors : tally.errors.slice(1);
  return { discoveryFailure: failure, errors, remaining: tally.remaining, finalizers: tally.finalizers, waitsForPods, estimateSeconds: tally.estimateSeconds };
}

async function namespacedResources(client: Client): Promise<{ resources: readonly DiscoveredResource[]; failure: string | undefined }> {
  try {
    const { resources, failures } = await discover(client);
    // Nothing known is not nothing there: the namespace must not be let go.
    if (resources.length === 0) return { resources, failure: 'no resources reported by discovery' };
    return {
      resources: resources.filter((ref) => ref.preferred && ref.namespaced && ref.verbs.includes('delete')),
      failure: failures.size === 0 ? undefined : `Discovery failed for some groups, ${failures.size} failing: ${discoveryFailureText(failures)}`,
    };
  } catch (error) {
    return { resources: [], failure: errorMessage(error) };
  }
}

async function empty(client: Client, ref: DiscoveredResource, namespace: string, deletedSeconds: number, tally: Tally): Promise<void> {
  try {
    const before = await listAll(client, ref, namespace);
    if (before.length === 0) return;
    // The grace that pods get counts from the namespace's deletion.
    const grace = ref.group === '' && ref.resource === 'pods' ? longestGrace(before as V1Pod[]) : 0;
    const estimate = deletedSeconds >= grace ? 0 : grace;
    await deleteAll(client, ref, namespace, before);
    const left = await listAll(client, ref, namespace);
    if (left.length === 0) return;
    let withFinalizers = false;
    for (const object of left) {
      for (const finalizer of object.metadata?.finalizers ?? []) {
        withFinalizers = true;
        tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1);
      }
    }
    tally.remaining.set(`${ref.resource}.${ref.group}`, left.length);
    if (estimate === 0 && !withFinalizers) {
      tally.errors.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${ref.group}/${ref.version}, Resource=${ref.resource}`);
    }
    tally.estimateSeconds = Math.max(tally.estimateSeconds, estimate > 0 ? estimate : withFinalizers ? FINALIZER_SECONDS : 0);
  } catch (error) {
    if (isUnsupported(error)) return;
    tally.errors.push(errorMessage(error));
  }
}

async function listAll(client: Client, ref: DiscoveredResource, namespace: string): Promise<readonly KubeObject[]> {
  if (!ref.verbs.includes('list')) return [];
  // Grace periods are in the specs of pods; of everything else the metadata is enough.
  const metadataOnly = !(ref.group === '' && ref.resource === 'pods');
  return (await client.resource(ref).list(namespace, { metadataOnly })).items;
}

async function deleteAll(client: Client, ref: DiscoveredResource, namespace: string, objects: readonly KubeObject[]): Promise<void> {
  if (ref.verbs.includes('deletecollection')) {
    try {
      return await client.resource(ref).deleteCollection(namespace, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }
  for (const object of objects) {
    try {
      await client.resource(ref).delete(namespace, object.metadata?.name ?? '', { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }
}

function longestGrace(pods: readonly V1Pod[]): number {
  return Math.max(0, ...pods.filter((pod) => !isPodTerminal(pod)).map((pod) => pod.spec?.terminationGracePeriodSeconds ?? 0));
}

/** The resource went away meanwhile, or does not know the verb. */
function isUnsupported(error: unknown): boolean {
  return StatusError.is(error, 'NotFound') || StatusError.is(error, 'MethodNotAllowed');
}
