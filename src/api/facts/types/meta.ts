import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.apimachinery.pkg.apis.meta.v1`. */
export const meta: PackageFacts = {
  package: 'io.k8s.apimachinery.pkg.apis.meta.v1',
  group: '',
  version: 'v1',
  plain: `
    GroupResource GroupVersionForDiscovery ServerAddressByClientCIDR ShardInfo
  `,
  types: {
    APIGroup: 'versions +atomic; preferredVersion=; serverAddressByClientCIDRs +atomic',
    APIGroupList: 'groups +atomic',
    APIResource: 'verbs Verbs; shortNames +atomic; categories +atomic',
    APIResourceList: 'resources +atomic',
    APIVersions: 'versions +atomic; serverAddressByClientCIDRs +atomic',
    Condition: 'status ConditionStatus',
    DeleteOptions: `
      gracePeriodSeconds*; orphanDependents*; propagationPolicy* DeletionPropagation; dryRun +atomic;
      ignoreStoreReadErrorWithClusterBreakingPotential*
    `,
    FieldSelectorRequirement: 'operator FieldSelectorOperator; values +atomic',
    LabelSelector: '@atomic; matchExpressions +atomic',
    LabelSelectorRequirement: 'operator LabelSelectorOperator; values +atomic',
    ListMeta: 'remainingItemCount*',
    ManagedFieldsEntry: 'operation ManagedFieldsOperationType; fieldsV1 FieldsV1',
    ObjectMeta: `
      uid types.UID; creationTimestamp=~; deletionGracePeriodSeconds*; ownerReferences +map(uid)+merge(uid); finalizers +set+strategy(merge);
      managedFields +atomic
    `,
    OwnerReference: '@atomic; uid types.UID; controller*; blockOwnerDeletion*',
    Preconditions: 'uid* types.UID; resourceVersion*',
    Status: 'reason StatusReason',
    StatusCause: 'reason CauseType',
    StatusDetails: 'uid types.UID; causes +atomic',
    WatchEvent: 'object runtime.RawExtension',
  },
};
