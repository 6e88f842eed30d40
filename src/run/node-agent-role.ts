import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../api/resource-refs.js';
import type { V1ClusterRole, V1ClusterRoleBinding } from '../api/generated/types.js';
import type { Client } from '../client/index.js';
import { ensureObject } from './ensure-object.js';

/** User name of an agent that carries several simulated nodes; `system:node:<name>` is one node's and is kept for agents of one node. */
export const NODE_AGENT = 'kube:node-agent';

const GROUP = 'rbac.authorization.k8s.io';

const ROLE: V1ClusterRole = {
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRole',
  metadata: { name: NODE_AGENT },
  rules: [
    { apiGroups: [''], resources: ['nodes'], verbs: ['create', 'get', 'list', 'watch', 'update', 'patch'] },
    { apiGroups: [''], resources: ['nodes/status', 'pods/status'], verbs: ['get', 'update', 'patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
    { apiGroups: [''], resources: ['configmaps', 'secrets', 'services', 'persistentvolumeclaims', 'persistentvolumes', 'serviceaccounts'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'update', 'patch'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'list', 'watch', 'update', 'patch'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'], verbs: ['get', 'list', 'watch'] },
  ],
};

const BINDING: V1ClusterRoleBinding = {
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: NODE_AGENT },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: NODE_AGENT },
  subjects: [{ kind: 'User', apiGroup: GROUP, name: NODE_AGENT }],
};

/** Makes the role of the node agent where it is missing; one that is there is left as it is. */
export async function ensureNodeAgentRole(client: Client): Promise<void> {
  await Promise.all([ensureObject(client, CLUSTER_ROLES, ROLE), ensureObject(client, CLUSTER_ROLE_BINDINGS, BINDING)]);
}
