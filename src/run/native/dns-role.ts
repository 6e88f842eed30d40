import type { V1ClusterRole, V1ClusterRoleBinding, V1Role, V1RoleBinding } from '../../api/generated/types.js';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/resource-refs.js';
import type { Client } from '../../client/index.js';
import { ensureObject } from '../ensure-object.js';
import { NODE_AGENT } from '../node-agent-role.js';

/** User name of the cluster's DNS. */
export const CLUSTER_DNS = 'kube:cluster-dns';

const GROUP = 'rbac.authorization.k8s.io';
// An agent that runs alone serves DNS too.
const SUBJECTS = [CLUSTER_DNS, NODE_AGENT].map((name) => ({ kind: 'User', apiGroup: GROUP, name }));
const NAMESPACE = 'kube-system';

/** It reads what names are made of. */
const CLUSTER_ROLE: V1ClusterRole = {
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRole',
  metadata: { name: CLUSTER_DNS },
  rules: [
    { apiGroups: [''], resources: ['services', 'namespaces'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
  ],
};

const CLUSTER_BINDING: V1ClusterRoleBinding = { apiVersion: `${GROUP}/v1`, kind: 'ClusterRoleBinding', metadata: { name: CLUSTER_DNS }, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: CLUSTER_DNS }, subjects: SUBJECTS };

/** It keeps its own service. */
const ROLE: V1Role = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Role',
  metadata: { name: CLUSTER_DNS, namespace: NAMESPACE },
  rules: [
    { apiGroups: [''], resources: ['services'], verbs: ['create', 'update', 'patch', 'delete'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['create', 'update', 'patch', 'delete'] },
  ],
};

const BINDING: V1RoleBinding = { apiVersion: `${GROUP}/v1`, kind: 'RoleBinding', metadata: { name: CLUSTER_DNS, namespace: NAMESPACE }, roleRef: { apiGroup: GROUP, kind: 'Role', name: CLUSTER_DNS }, subjects: SUBJECTS };

/** Makes the role of the cluster's DNS where it is missing; one that is there is left as it is. */
export async function ensureDnsRole(client: Client): Promise<void> {
  await Promise.all([
    ensureObject(client, CLUSTER_ROLES, CLUSTER_ROLE),
    ensureObject(client, CLUSTER_ROLE_BINDINGS, CLUSTER_BINDING),
    ensureObject(client, ROLES, ROLE),
    ensureObject(client, ROLE_BINDINGS, BINDING),
  ]);
}
