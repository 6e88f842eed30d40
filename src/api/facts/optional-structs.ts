/**
 * JSON names of fields that hold a struct, or nothing, in every kind that has them: there being an empty one says something else than
 * there being none. Names that are maps or structs by value in other kinds (`selector`, `capacity`, …) are left out.
 */
export const OPTIONAL_STRUCTS: ReadonlySet<string> = new Set((
  'affinity aggregationRule allocation appArmorProfile applyConfiguration attachError awsElasticBlockStore azureDisk azureFile behavior boundObjectRef ' +
  'capabilities cel cephfs cinder claimRef clientIP clusterTrustBundle configMap configMapKeyRef configMapRef configSource containerResource ' +
  'controllerExpandSecretRef controllerPublishSecretRef csi dataSource dataSourceRef defaultBackend detachError distinguisherMethod dnsConfig downwardAPI ' +
  'emptyDir ephemeral exactly exec exempt exitCodes extendedResourceClaimStatus external fc fieldSelector fileKeyRef flexVolume flocker gcePersistentDisk ' +
  'gitRepo glusterfs grpc hints hostPath http httpGet inlineVolumeSpec ipBlock iscsi jsonPatch labelSelector lifecycle limited linux livenessProbe local ' +
  'matchConstraints matchResources metricSelector modifyVolumeStatus namespaceSelector networkData nfs nodeAffinity nodeExpandSecretRef ' +
  'nodePublishSecretRef nodeStageSecretRef nodeTopology nonResourceAttributes objectSelector onExitCodes opaque ordinals os paramKind paramRef parentRef ' +
  'persistentVolumeClaim persistentVolumeClaimRetentionPolicy photonPersistentDisk podAffinity podAntiAffinity podCertificate podFailurePolicy ' +
  'portworxVolume postStart preStop projected queuing quobyte rbd readinessProbe related requestPolicy required resourceAttributes resourceFieldRef ' +
  'rollingUpdate running scaleDown scaleIO scaleUp scheduling schedulingGroup scopeSelector seLinuxOptions seccompProfile secret secretKeyRef secretRef ' +
  'securityContext series service serviceAccountToken sessionAffinityConfig sleep startupProbe storageos successPolicy swap targetRef tcpSocket ' +
  'terminated typeChecking uncountedTerminatedPods validRange valueFrom volumeClaimTemplate volumeStatus vsphereVolume waiting windowsOptions'
).split(' '));
