import type { GroupResource } from '../../api/meta/object.js';
import { objectKey } from './resource-key.js';

/** Where upstream keeps a resource under another name than its own. */
const NAMES: Readonly<Record<string, string>> = {
  '/nodes': 'minions',
  '/services': 'services/specs',
  '/endpoints': 'services/endpoints',
  '/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** An object's key in upstream's store, which some of its messages show. A dry run shows it without the common prefix. */
export function upstreamKey(resource: GroupResource, namespace: string, name: string, dryRun: boolean): string {
  const folder = NAMES[`${resource.group}/${resource.resource}`] ?? resource.resource;
  return `${dryRun ? '' : '/registry'}/${folder}/${objectKey(namespace, name)}`;
}
