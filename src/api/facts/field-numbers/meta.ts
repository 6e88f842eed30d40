/** Field numbers in protobuf of the types of `io.k8s.apimachinery.pkg.apis.meta.v1`; the notation is explained in index.ts. */
export const meta: Readonly<Record<string, string>> = {
  APIGroup: 'name versions preferredVersion serverAddressByClientCIDRs',
  APIGroupList: 'groups',
  APIResource: 'name namespaced kind ^Verbs(verbs) shortNames singularName categories group version storageVersionHash',
  APIResourceList: 'groupVersion resources',
  APIVersions: 'versions serverAddressByClientCIDRs',
  Condition: 'type status observedGeneration lastTransitionTime reason message',
  DeleteOptions: 'gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun ignoreStoreReadErrorWithClusterBreakingPotential',
  FieldSelectorRequirement: 'key operator values',
  GroupVersionForDiscovery: 'groupVersion version',
  LabelSelector: 'matchLabels matchExpressions',
  LabelSelectorRequirement: 'key operator values',
  ListMeta: 'selfLink resourceVersion continue remainingItemCount shardInfo',
  ManagedFieldsEntry: 'manager operation apiVersion time fieldsType:6 fieldsV1 subresource',
  ObjectMeta: `
    name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels
    annotations ownerReferences finalizers managedFields:17
  `,
  OwnerReference: 'kind name:3 uid apiVersion controller blockOwnerDeletion',
  Preconditions: 'uid resourceVersion',
  ServerAddressByClientCIDR: 'clientCIDR serverAddress',
  ShardInfo: 'selector',
  Status: 'metadata status message reason details code',
  StatusCause: 'reason message field',
  StatusDetails: 'name group kind causes retryAfterSeconds uid',
  WatchEvent: 'type object',
};
