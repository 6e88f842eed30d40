import type { V1ResourceQuota } from '../../api/generated/types.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import { quotaEvaluator, quotaUsage } from '../../api/helpers/quota.js';
import { isTerminating } from '../../api/helpers/quota-scopes.js';
import { groupResourceText, type GroupResource, type KubeObject } from '../../api/meta/object.js';
import { RESOURCE_QUOTAS, type ResourceRef } from '../../api/resource-refs.js';
import type { V1Pod } from '../../api/generated/types.js';
import type { Informer } from '../../client/index.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { discover } from '../shared/discovery.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { updateStatus } from '../shared/status-update.js';

/** Upstream's `--resource-quota-sync-period`. */
const RESYNC_MILLISECONDS = 300_000;

/** Keeps `status.used` of quotas: admission only ever adds to it, this counts anew and takes away. */
export const resourceQuotaController: ControllerDescriptor = {
  name: 'resourcequota-controller',
  serviceAccount: 'resourcequota-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'resourcequota');
    const quotas = context.informers.informer(RESOURCE_QUOTAS);
    const sources = new QuotaSources(context, (namespace) => {
      for (const quota of quotas.list(namespace)) queue.add(keyOf(quota));
    });
    const enqueue = (quota: V1ResourceQuota): void => queue.add(keyOf(quota));
    const cleanup = [
      quotas.addHandler({
        add: enqueue,
        update: (quota, previous) => {
          if (!deepEqual(quota.spec, previous.spec) || !deepEqual(quota.status?.hard, quota.spec?.hard)) enqueue(quota);
        },
      }),
      () => sources.stop(),
    ];
    return controllerLoop(context, queue, {
      name: 'resourcequota',
      informers: [quotas],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const quota = quotas.get(namespace, name);
        if (!quota || quota.metadata?.deletionTimestamp) return undefined;
        const names = Object.keys(quota.spec?.hard ?? {});
        const objects = await sources.objectsFor(names, namespace);
        const used = quotaUsage(quota, objects.map((entry) => entry.resource), (resource) => objects.find((entry) => entry.resource === resource)?.objects ?? [], context.clock.now());
        const status = { hard: quota.spec?.hard ?? {}, used: Object.fromEntries([...used].map(([resource, amount]) => [resource, amount.toString()])) };
        if (!deepEqual(quota.status?.hard, status.hard) || !deepEqual(quota.status?.used, status.used)) {
          await updateStatus(context.client.resource(RESOURCE_QUOTAS), quota, (current) => ({ ...current, status }));
        }
        return { requeueAfterMilliseconds: RESYNC_MILLISECONDS };
      },
    });
  },
};

/** The objects that quotas count; a resource is watched from the first quota on that limits it. */
class QuotaSources {
  private readonly watched = new Map<string, Informer<KubeObject>>();
  private readonly cleanup: (() => void)[] = [];

  constructor(
    private readonly context: ControllerContext,
    /** Something of this namespace was deleted or no longer counts. */
    private readonly changed: (namespace: string) => void,
  ) {}

  stop(): void {
    for (const undo of this.cleanup) undo();
  }

  async objectsFor(names: readonly string[], namespace: string): Promise<{ resource: GroupResource; objects: readonly KubeObject[] }[]> {
    const wanted = (await this.resources(names)).filter((resource) => (quotaEvaluator(resource)?.matchingNames(names).length ?? 0) > 0);
    return Promise.all(wanted.map(async (resource) => {
      const informer = this.watch(resource);
      await informer.whenSynced();
      return { resource, objects: informer.list(namespace) };
    }));
  }

  /** The built-in resources, and custom ones when a limit is about something else. */
  private async resources(names: readonly string[]): Promise<readonly ResourceRef[]> {
    const builtIn = RESOURCES.filter((facts) => facts.namespaced && facts.verbs.includes('watch') && !(facts.group === 'autoscaling' && facts.version === 'v1') && facts.group !== 'events.k8s.io');
    const known = new Set(builtIn.map((facts) => `count/${groupResourceText(facts)}`));
    if (names.every((name) => !name.startsWith('count/') || known.has(name))) return builtIn;
    const { resources } = await discover(this.context.client);
    const custom = resources.filter((resource) => resource.preferred && resource.namespaced && resource.verbs.includes('watch') && !known.has(`count/${groupResourceText(resource)}`));
    return [...builtIn, ...custom];
  }

  private watch(resource: ResourceRef): Informer<KubeObject> {
    const name = groupResourceText(resource);
    let informer = this.watched.get(name);
    if (!informer) {
      informer = this.context.informers.informer<KubeObject>(resource);
      this.watched.set(name, informer);
      this.cleanup.push(informer.addHandler({
        delete: (object) => this.changed(object.metadata?.namespace ?? ''),
        update: (object, previous) => {
          if (name === 'pods' ? countsOtherwise(object as V1Pod, previous as V1Pod) : name === 'services' || name === 'persistentvolumeclaims') this.changed(object.metadata?.namespace ?? '');
        },
      }));
    }
    return informer;
  }
}

/** Whether an update can change how a pod counts: it ends, moves between the scopes of pods with and without a deadline, or has other resources than before. */
function countsOtherwise(pod: V1Pod, previous: V1Pod): boolean {
  const resources = ({ status }: V1Pod): unknown => [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map(({ name, resources: held }) => [name, held]);
  return isPodTerminal(pod) !== isPodTerminal(previous) || isTerminating(pod) !== isTerminating(previous) || (pod.status !== previous.status && !deepEqual(resources(pod), resources(previous)));
}
