import { POD_STRUCTS } from './go-structs-pod.js';

/**
 * Upstream's structs that its messages print whole. A field is `Name:type`, or `Name=jsonName:type` where the JSON name does not
 * follow from the Go name; `...=jsonName` is a struct whose fields, under their JSON names, stand beside the others; `?jsonName` is
 * a list or map that is left out when it is empty. Types: `s` string, `i` number, `b` boolean, `p` pointer or anything printed as it is, `[` list of
 * scalars, `{` map, `[X` list of structs, `*X` pointer to a struct, `X` struct by value.
 */
const STRUCTS: Readonly<Record<string, string>> = {
  ...POD_STRUCTS,

  ObjectReference: 'Kind:s Namespace:s Name:s UID:s APIVersion:s ResourceVersion:s FieldPath:s',
  SecretReference: 'Name:s Namespace:s',
  ParentReference: 'Group:s Resource:s Namespace:s Name:s',
  NodeSelector: 'NodeSelectorTerms:[NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement',
  NodeSelectorRequirement: 'Key:s Operator:s Values:[',
  VolumeNodeAffinity: 'Required:*NodeSelector',

  PersistentVolumeClaimSpec:
    'AccessModes:[ Selector:*LabelSelector Resources:VolumeResourceRequirements VolumeName:s StorageClassName:p VolumeMode:p ' +
    'DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:p',
  VolumeResourceRequirements: 'Limits:{ Requests:{',
  TypedLocalObjectReference: 'APIGroup:p Kind:s Name:s',
  TypedObjectReference: 'APIGroup:p Kind:s Name:s Namespace:p',

  PersistentVolumeSource:
    'GCEPersistentDisk:*GCEPersistentDisk AWSElasticBlockStore:*AWSElasticBlockStore HostPath:*HostPath Glusterfs:*Glusterfs NFS:*NFS RBD:*RBD ' +
    'Quobyte:*Quobyte ISCSI:*ISCSI FlexVolume:*Flex Cinder:*Cinder CephFS=cephfs:*CephFS FC:*FC Flocker:*Flocker AzureFile:*AzureFile ' +
    'VsphereVolume:*Vsphere AzureDisk:*AzureDisk PhotonPersistentDisk:*Photon PortworxVolume:*Portworx ScaleIO:*ScaleIO Local:*Local ' +
    'StorageOS=storageos:*StorageOS CSI:*CSI',
  GCEPersistentDisk: 'PDName:s FSType:s Partition:i ReadOnly:b',
  AWSElasticBlockStore: 'VolumeID:s FSType:s Partition:i ReadOnly:b',
  HostPath: 'Path:s Type:p',
  Glusterfs: 'EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace:p',
  NFS: 'Server:s Path:s ReadOnly:b',
  RBD: 'CephMonitors=monitors:[ RBDImage=image:s FSType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*SecretReference ReadOnly:b',
  Quobyte: 'Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s',
  ISCSI:
    'TargetPortal:s IQN:s Lun:i ISCSIInterface:s FSType:s ReadOnly:b Portals:[ DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b ' +
    'SecretRef:*SecretReference InitiatorName:p',
  Flex: 'Driver:s FSType:s SecretRef:*SecretReference ReadOnly:b Options:{',
  Cinder: 'VolumeID:s FSType:s ReadOnly:b SecretRef:*SecretReference',
  CephFS: 'Monitors:[ Path:s User:s SecretFile:s SecretRef:*SecretReference ReadOnly:b',
  FC: 'TargetWWNs:[ Lun:p FSType:s ReadOnly:b WWIDs=wwids:[',
  Flocker: 'DatasetName:s DatasetUUID:s',
  AzureFile: 'SecretName:s ShareName:s ReadOnly:b SecretNamespace:p',
  Vsphere: 'VolumePath:s FSType:s StoragePolicyName:s StoragePolicyID:s',
  AzureDisk: 'DiskName:s DataDiskURI=diskURI:s CachingMode:p FSType:p ReadOnly:p Kind:p',
  Photon: 'PdID:s FSType:s',
  Portworx: 'VolumeID:s FSType:s ReadOnly:b',
  ScaleIO:
    'Gateway:s System:s SecretRef:*SecretReference SSLEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s ReadOnly:b',
  Local: 'Path:s FSType:p',
  StorageOS: 'VolumeName:s VolumeNamespace:s FSType:s ReadOnly:b SecretRef:*ObjectReference',
  CSI:
    'Driver:s VolumeHandle:s ReadOnly:b FSType:s VolumeAttributes:{ ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference ' +
    'NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference',

  ResourceClaimSpec: 'Devices:DeviceClaim',
  DeviceClaim: 'Requests:[DeviceRequest Constraints:[DeviceConstraint Config:[DeviceClaimConfiguration',
  DeviceRequest: 'Name:s Exactly:*ExactDeviceRequest FirstAvailable:[DeviceSubRequest',
  ExactDeviceRequest:
    'DeviceClassName:s Selectors:[DeviceSelector AllocationMode:s Count:i AdminAccess:p Tolerations:[DeviceToleration Capacity:*CapacityRequirements',
  DeviceSubRequest: 'Name:s DeviceClassName:s Selectors:[DeviceSelector AllocationMode:s Count:i Tolerations:[DeviceToleration Capacity:*CapacityRequirements',
  DeviceSelector: 'CEL:*CELDeviceSelector',
  CELDeviceSelector: 'Expression:s',
  DeviceToleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds:p',
  CapacityRequirements: 'Requests:{',
  DeviceConstraint: 'Requests:[ MatchAttribute:p DistinctAttribute:p',
  DeviceClaimConfiguration: 'Requests:[ Opaque:*OpaqueDeviceConfiguration',
  OpaqueDeviceConfiguration: 'Driver:s Parameters:p',
};

const METADATA_ORDER = [
  'name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp',
  'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields',
];

/** Names of the structs that {@link goForm} knows. */
export type GoStruct = 'ObjectReference' | 'ParentReference' | 'VolumeNodeAffinity' | 'PersistentVolumeClaimSpec' | 'PersistentVolumeSource' | 'ResourceClaimSpec' | 'PodSpec' | 'EphemeralContainer' | 'SecurityContext';

/**
 * An object as upstream's messages print its internal form: fields in the order of the struct under their Go names, nothing
 * left out. Absent lists, maps and pointers are `null`.
 */
export function goForm(value: object, struct: GoStruct): object {
  return formOf(value, struct);
}

function formOf(value: object, struct: string): Record<string, unknown> {
  const source = value as Readonly<Record<string, unknown>>;
  const form: Record<string, unknown> = {};
  for (const field of STRUCTS[struct]!.split(' ')) {
    const [names, type] = field.split(':') as [string, string];
    const [name, jsonName = jsonNameOf(name)] = names.split('=') as [string, string?];
    if (name.startsWith('?')) {
      const key = name.slice(1);
      const part = fieldForm(source[key], type);
      if (part !== null && Object.keys(part as object).length > 0) form[key] = part;
    } else if (name === '...') Object.assign(form, inOrder((source[jsonName] ?? {}) as object));
    else form[name] = fieldForm(source[jsonName], type);
  }
  return form;
}

/** Metadata in the order of upstream's struct; what it does not have comes last. */
function inOrder(metadata: object): Record<string, unknown> {
  const place = (key: string): number => (METADATA_ORDER.includes(key) ? METADATA_ORDER.indexOf(key) : METADATA_ORDER.length);
  return Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => place(a) - place(b)));
}

function fieldForm(value: unknown, type: string): unknown {
  switch (type) {
    case 's':
      return value ?? '';
    case 'i':
      return value ?? 0;
    case 'b':
      return value ?? false;
    case 'p':
    case '[':
      return value ?? null;
    case '{':
      return value ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : null;
  }
  if (type.startsWith('[')) return value ? (value as readonly object[]).map((item) => formOf(item, type.slice(1))) : null;
  if (type.startsWith('*')) return value ? formOf(value, type.slice(1)) : null;
  return formOf(value ?? {}, type);
}

/** `FSType` -> `fsType`, `CSI` -> `csi`, `NodeName` -> `nodeName`. */
function jsonNameOf(name: string): string {
  return name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (head) => head.toLowerCase());
}
