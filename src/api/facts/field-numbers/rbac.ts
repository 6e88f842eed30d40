/** Field numbers in protobuf of the types of `io.k8s.api.rbac.v1`; the notation is explained in index.ts. */
export const rbac: Readonly<Record<string, string>> = {
  AggregationRule: 'clusterRoleSelectors',
  ClusterRole: 'metadata rules aggregationRule',
  ClusterRoleBinding: 'metadata subjects roleRef',
  ClusterRoleBindingList: 'metadata items',
  ClusterRoleList: 'metadata items',
  PolicyRule: 'verbs apiGroups resources resourceNames nonResourceURLs',
  Role: 'metadata rules',
  RoleBinding: 'metadata subjects roleRef',
  RoleBindingList: 'metadata items',
  RoleList: 'metadata items',
  RoleRef: 'apiGroup kind name',
  Subject: 'kind apiGroup name namespace',
};
