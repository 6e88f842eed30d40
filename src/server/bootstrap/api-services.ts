import { RESOURCES } from '../../api/facts/resources.js';
import type { V1APIService } from '../../api/generated/types.js';
import { isConditionTrue } from '../../api/helpers/conditions.js';
import { API_SERVICES } from '../../api/resource-refs.js';
import type { ClusterView } from '../registry/cluster-view.js';
import type { PostStartHook } from '../server-context.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { createIfAbsent } from './ensure.js';

/** Order of the groups in discovery: higher comes first. */
const GROUP_PRIORITY: Readonly<Record<string, number>> = {
  '': 18000,
  apps: 17800,
  'events.k8s.io': 17750,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'networking.k8s.io': 17200,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'apiextensions.k8s.io': 16700,
  'admissionregistration.k8s.io': 16700,
  'scheduling.k8s.io': 16600,
  'coordination.k8s.io': 16500,
  'node.k8s.io': 16300,
  'discovery.k8s.io': 16200,
  'resource.k8s.io': 16200,
  'flowcontrol.apiserver.k8s.io': 16100,
};

/** Order of the versions within their group where it is not 15. */
const VERSION_PRIORITY: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};

/** One APIService for each group version that the server answers itself. */
function localApiServices(): V1APIService[] {
  const groupVersions = new Map(RESOURCES.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  groupVersions.delete('apiregistration.k8s.io/v1');
  return [...groupVersions].map(([key, { group, version }]) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: GROUP_PRIORITY[group] ?? 1000, versionPriority: VERSION_PRIORITY[key] ?? 15 },
  }));
}

/** Registers the group versions that the server answers itself. */
export const localRegistration: PostStartHook = {
  name: 'kube-apiserver-autoregistration',
  run: async (context) => {
    await Promise.all(localApiServices().map((wanted) => createIfAbsent(context, API_SERVICES, wanted)));
  },
};

/** Says of each of these that it is available. */
export const localAvailability: PostStartHook = {
  name: 'apiservice-status-local-available-controller',
  run: async (context) => {
    await Promise.all(localApiServices().map(async ({ metadata }) => {
      const stored = context.view.get(API_SERVICES, '', metadata!.name!);
      if (!stored || isAvailable(stored)) return;
      const lastTransitionTime = timestamp(context.clock.now());
      const available = { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available', lastTransitionTime };
      await context.loopback.resource(API_SERVICES).updateStatus({ ...stored, status: { conditions: [available] } });
    }));
  },
};

/**
 * The check `autoregister-completion`: throws until each group version that the server answers itself has been seen registered and available.
 * Call it once the view is there; what is taken away later is not missed.
 */
export function localRegistrationCheck(view: ClusterView): () => void {
  const pending = new Set(localApiServices().map(({ metadata }) => metadata!.name!));
  const see = (service: V1APIService): void => {
    if (isAvailable(service)) pending.delete(service.metadata!.name!);
  };
  for (const service of view.list(API_SERVICES)) see(service);
  view.onChange(API_SERVICES, ({ object }) => see(object));
  return () => {
    if (pending.size > 0) throw new Error(`missing APIService: [${[...pending].sort().join(' ')}]`);
  };
}

function isAvailable({ status }: V1APIService): boolean {
  return isConditionTrue(status?.conditions, 'Available');
}
