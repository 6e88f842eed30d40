/** Field numbers in protobuf of the types of `io.k8s.api.storage.v1`; the notation is explained in index.ts. */
export const storage: Readonly<Record<string, string>> = {
  CSIDriver: 'metadata spec',
  CSIDriverList: 'metadata items',
  CSIDriverSpec: `
    attachRequired podInfoOnMount volumeLifecycleModes storageCapacity fsGroupPolicy tokenRequests requiresRepublish seLinuxMount
    nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets preventPodSchedulingIfMissing
  `,
  CSINode: 'metadata spec',
  CSINodeDriver: 'name nodeID topologyKeys allocatable',
  CSINodeList: 'metadata items',
  CSINodeSpec: 'drivers',
  CSIStorageCapacity: 'metadata nodeTopology storageClassName capacity maximumVolumeSize',
  CSIStorageCapacityList: 'metadata items',
  StorageClass: 'metadata provisioner parameters reclaimPolicy mountOptions allowVolumeExpansion volumeBindingMode allowedTopologies',
  StorageClassList: 'metadata items',
  TokenRequest: 'audience expirationSeconds',
  VolumeAttachment: 'metadata spec status',
  VolumeAttachmentList: 'metadata items',
  VolumeAttachmentSource: 'persistentVolumeName inlineVolumeSpec',
  VolumeAttachmentSpec: 'attacher source nodeName',
  VolumeAttachmentStatus: 'attached attachmentMetadata attachError detachError',
  VolumeAttributesClass: 'metadata driverName parameters',
  VolumeAttributesClassList: 'metadata items',
  VolumeError: 'time message errorCode',
  VolumeNodeResources: 'count',
};
