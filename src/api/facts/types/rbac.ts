import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.rbac.v1`. */
export const rbac: PackageFacts = {
  package: 'io.k8s.api.rbac.v1',
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plain: `
    ClusterRoleBindingList ClusterRoleList RoleBindingList RoleList
  `,
  types: {
    AggregationRule: 'clusterRoleSelectors +atomic',
    ClusterRole: 'rules! +atomic',
    ClusterRoleBinding: 'subjects +atomic',
    PolicyRule: 'verbs +atomic; apiGroups +atomic; resources +atomic; resourceNames +atomic; nonResourceURLs +atomic',
    Role: 'rules! +atomic',
    RoleBinding: 'subjects +atomic',
    RoleRef: '@atomic; apiGroup!',
    Subject: '@atomic',
  },
};
