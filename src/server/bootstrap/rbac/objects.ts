import type { V1ClusterRole, V1ClusterRoleBinding, V1ObjectMeta, V1PolicyRule, V1Role, V1RoleBinding } from '../../../api/generated/types.js';
import { CLUSTER_ROLE_BINDINGS_DATA, ROLE_BINDINGS_DATA } from './bindings.js';
import { CLUSTER_ROLES } from './cluster-roles.js';
import { CONTROLLER_ROLES } from './controller-roles.js';
import { NAMESPACE_ROLES } from './namespace-roles.js';
import { serviceAccount, type BootstrapBinding, type BootstrapRole } from './rule.js';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';
const CONTROLLER_PREFIX = 'system:controller:';

/** With the value `true`: the object is mended at each start of the server. */
export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

function metadata(name: string, namespace: string | undefined, labels: Readonly<Record<string, string>> = {}): V1ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    annotations: { [AUTOUPDATE]: 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  };
}

/** Rules of a default cluster role by name; the aggregating ones have none of their own. */
export function defaultRules(name: string): readonly V1PolicyRule[] {
  return CLUSTER_ROLES.find((role) => role.name === name)?.rules ?? [];
}

/** What an aggregating default role consists of before anyone adds to it, through all levels of aggregation. */
function gathered(aggregates: string): V1PolicyRule[] {
  return CLUSTER_ROLES.filter((role) => role.aggregateTo === aggregates).flatMap((role) => [
    ...(role.aggregates === undefined ? role.rules : gathered(role.aggregates)),
  ]);
}

function clusterRole(role: BootstrapRole, prefix = ''): V1ClusterRole {
  const label = role.aggregateTo === undefined ? {} : { [AGGREGATE + role.aggregateTo]: 'true' };
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: metadata(prefix + role.name, undefined, label),
    ...(role.aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE + role.aggregates]: 'true' } }] } }),
    rules: role.aggregates === undefined ? role.rules : gathered(role.aggregates),
  };
}

export function defaultClusterRoles(): V1ClusterRole[] {
  return [...CLUSTER_ROLES.map((role) => clusterRole(role)), ...CONTROLLER_ROLES.map((role) => clusterRole(role, CONTROLLER_PREFIX))];
}

export function defaultRoles(): V1Role[] {
  return NAMESPACE_ROLES.map((role) => ({ apiVersion: API_VERSION, kind: 'Role', metadata: metadata(role.name, role.namespace), rules: role.rules }));
}

export function defaultClusterRoleBindings(): V1ClusterRoleBinding[] {
  const ofControllers = CONTROLLER_ROLES.map((role): BootstrapBinding => ({
    name: CONTROLLER_PREFIX + role.name,
    subjects: [serviceAccount('kube-system', role.name)],
  }));
  return [...CLUSTER_ROLE_BINDINGS_DATA, ...ofControllers].map((binding) => ({
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: metadata(binding.name, undefined),
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: binding.role ?? binding.name },
    ...(binding.subjects.length > 0 ? { subjects: binding.subjects } : {}),
  }));
}

export function defaultRoleBindings(): V1RoleBinding[] {
  return ROLE_BINDINGS_DATA.map((binding) => ({
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: metadata(binding.name, binding.namespace),
    roleRef: { apiGroup: API_GROUP, kind: 'Role', name: binding.role ?? binding.name },
    subjects: binding.subjects,
  }));
}
