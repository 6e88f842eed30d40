import { RESOURCES } from '../../api/facts/resources.js';
import type { V1APIService } from '../../api/generated/types.js';
import { API_SERVICES } from '../../api/resource-refs.js';
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

export const apiServices: PostStartHook = {
  name: 'apiservice-registration-controller',
  run: async (context) => {
    await Promise.all(localApiServices().map(async (wanted) => {
      const stored = await createIfAbsent(context, API_SERVICES, wanted);
      if (!stored || stored.status?.conditions?.some((condition) => condition.type === 'Available')) return;
      const lastTransitionTime = timestamp(context.clock.now());
      const available = { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available', lastTransitionTime };
      await context.loopback.resource(API_SERVICES).updateStatus({ ...stored, status: { conditions: [available] } });
    }));
  },
};
