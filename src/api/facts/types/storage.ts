import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.storage.v1`. */
export const storage: PackageFacts = {
  package: 'io.k8s.api.storage.v1',
  group: 'storage.k8s.io',
  version: 'v1',
  plain: `
    CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacityList StorageClassList VolumeAttachmentList VolumeAttachmentSpec
    VolumeAttachmentStatus VolumeAttributesClass VolumeAttributesClassList
  `,
  types: {
    CSIDriverSpec: `
      attachRequired*; podInfoOnMount*; volumeLifecycleModes []VolumeLifecycleMode +set; storageCapacity*; fsGroupPolicy* FSGroupPolicy;
      tokenRequests +atomic; requiresRepublish*; seLinuxMount*; nodeAllocatableUpdatePeriodSeconds*; serviceAccountTokenInSecrets*;
      preventPodSchedulingIfMissing*
    `,
    CSINodeDriver: 'topologyKeys! +atomic',
    CSINodeSpec: 'drivers +map(name)+merge(name)',
    CSIStorageCapacity: 'capacity resource.Quantity; maximumVolumeSize resource.Quantity',
    StorageClass: `
      reclaimPolicy* PersistentVolumeReclaimPolicy; mountOptions +atomic; allowVolumeExpansion*; volumeBindingMode* VolumeBindingMode;
      allowedTopologies +atomic
    `,
    TokenRequest: 'expirationSeconds*',
    VolumeAttachment: 'status=',
    VolumeAttachmentSource: 'persistentVolumeName*',
    VolumeError: 'time=; errorCode*',
    VolumeNodeResources: 'count*',
  },
  enums: {
    VolumeBindingMode: 'Immediate|WaitForFirstConsumer',
  },
};
