import type {
  V1AzureDiskVolumeSource, V1CSIPersistentVolumeSource, V1FCVolumeSource, V1FlockerVolumeSource, V1GlusterfsPersistentVolumeSource,
  V1ISCSIPersistentVolumeSource, V1PersistentVolumeSpec, V1QuobyteVolumeSource, V1SecretReference,
} from '../../generated/types.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateEnum } from '../../meta/validation/enums.js';
import { rangeMessage } from '../../meta/validation/messages.js';
import { validateCsiDriverName } from './csi-driver-name.js';
import { validateHostPath, validateNoBacksteps } from './host-path.js';
import { validateDnsLabel, validateDnsSubdomain } from './names.js';

type Source = keyof V1PersistentVolumeSpec;

/** A kind of volume that a PersistentVolume can be. */
export interface VolumeSourceRule {
  readonly field: Source;
  /** Where "more than one" is reported, and where errors inside are, when the names differ from the field's. */
  readonly forbiddenAs?: string;
  readonly reportedAs?: string;
  readonly validate: (spec: V1PersistentVolumeSpec, path: FieldPath, volumeName: string) => FieldError[];
}

/** A rule that gets the source itself. */
function rule<K extends Source>(
  field: K,
  validate: (source: NonNullable<V1PersistentVolumeSpec[K]>, path: FieldPath, volumeName: string) => FieldError[],
  names: Pick<VolumeSourceRule, 'forbiddenAs' | 'reportedAs'> = {},
): VolumeSourceRule {
  return { field, ...names, validate: (spec, path, volumeName) => (spec[field] ? validate(spec[field], path, volumeName) : []) };
}

/** Non-empty text or list. */
function requireFields(source: object, path: FieldPath, ...fields: readonly string[]): FieldError[] {
  const values = source as Readonly<Record<string, string | readonly unknown[] | undefined>>;
  return fields.filter((field) => (values[field]?.length ?? 0) === 0).map((field) => required(path.child(field)));
}

/** Every kind of volume, in the order in which they are looked at. */
export const VOLUME_SOURCES: readonly VolumeSourceRule[] = [
  rule('hostPath', validateHostPath),
  rule('gcePersistentDisk', (source, path) => [...requireFields(source, path, 'pdName'), ...validatePartition(source.partition, path)], { reportedAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', (source, path) => [...requireFields(source, path, 'volumeID'), ...validatePartition(source.partition, path)]),
  rule('glusterfs', validateGlusterfs),
  rule('flocker', validateFlocker),
  rule('nfs', (source, path) => [
    ...requireFields(source, path, 'server', 'path'),
    ...((source.path ?? '').startsWith('/') ? [] : [invalid(path.child('path'), source.path ?? '', 'must be an absolute path')]),
  ]),
  rule('rbd', (source, path) => requireFields(source, path, 'monitors', 'image')),
  rule('quobyte', validateQuobyte),
  rule('cephfs', (source, path) => requireFields(source, path, 'monitors'), { forbiddenAs: 'cephFS' }),
  rule('iscsi', validateIscsi),
  rule('cinder', (source, path) => [...requireFields(source, path, 'volumeID'), ...validateSecretNames(source.secretRef, path)]),
  rule('fc', validateFibreChannel),
  rule('flexVolume', (source, path) => [
    ...requireFields(source, path, 'driver'),
    ...Object.keys(source.options ?? {}).filter(isReservedOption)
      .map((key) => invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved')),
  ]),
  rule('azureFile', (source, path) => [
    ...requireFields(source, path, 'secretName', 'shareName'),
    ...(source.secretNamespace === '' ? [required(path.child('secretNamespace'))] : []),
  ]),
  rule('vsphereVolume', (source, path) => requireFields(source, path, 'volumePath')),
  rule('photonPersistentDisk', (source, path) => requireFields(source, path, 'pdID')),
  rule('portworxVolume', (source, path) => requireFields(source, path, 'volumeID')),
  rule('azureDisk', validateAzureDisk),
  rule('scaleIO', (source, path) => requireFields(source, path, 'gateway', 'system', 'volumeName')),
  rule('local', (source, path) => (source.path ? validateNoBacksteps(source.path, path.child('path')) : [required(path.child('path'))])),
  rule('storageos', (source, path) => [
    ...(source.volumeName ? validateDnsLabel(source.volumeName, path.child('volumeName')) : [required(path.child('volumeName'))]),
    ...(source.volumeNamespace ? validateDnsLabel(source.volumeNamespace, path.child('volumeNamespace')) : []),
    ...validateSecretNames(source.secretRef, path),
  ]),
  rule('csi', validateCsi),
];

function validatePartition(partition: number | undefined, path: FieldPath): FieldError[] {
  const value = partition ?? 0;
  return value < 0 || value > 255 ? [invalid(path.child('partition'), value, rangeMessage(1, 255))] : [];
}

function validateSecretNames(secret: { readonly name?: string; readonly namespace?: string } | undefined, path: FieldPath): FieldError[] {
  return secret === undefined ? [] : requireFields(secret, path.child('secretRef'), 'name', 'namespace');
}

function validateGlusterfs(source: V1GlusterfsPersistentVolumeSource, path: FieldPath): FieldError[] {
  const errors = requireFields(source, path, 'endpoints', 'path');
  const namespace = source.endpointsNamespace;
  const at = path.child('endpointsNamespace');
  if (namespace === '') errors.push(invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
  else if (namespace !== undefined) errors.push(...validateDnsLabel(namespace, at));
  return errors;
}

function validateFlocker(source: V1FlockerVolumeSource, path: FieldPath): FieldError[] {
  const { datasetName = '', datasetUUID = '' } = source;
  const errors: FieldError[] = [];
  if (datasetName === '' && datasetUUID === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '') errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

function validateQuobyte(source: V1QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: FieldError[] = [];
  if (!source.registry) errors.push(required(path.child('registry'), pairs));
  else if ((source.tenant ?? '').length >= 65) errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else for (const pair of source.registry.split(',')) {
    if (!/^(?:\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair)) errors.push(invalid(path.child('registry'), source.registry, pairs));
  }
  return [...errors, ...requireFields(source, path, 'volume')];
}

const ISCSI_NAME: readonly (readonly [string, RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];

function validateIscsiName(name: string, path: FieldPath): FieldError[] {
  const form = ISCSI_NAME.find(([prefix]) => name.startsWith(prefix));
  return form?.[1].test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

function validateIscsi(source: V1ISCSIPersistentVolumeSource, path: FieldPath, volumeName: string): FieldError[] {
  const { targetPortal = '', iqn = '', lun = 0, initiatorName, secretRef } = source;
  const errors = requireFields(source, path, 'targetPortal');
  if (initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > 64) {
    errors.push(invalid(path.child('targetportal'), targetPortal, 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'));
  }
  errors.push(...(iqn === '' ? [required(path.child('iqn'))] : validateIscsiName(iqn, path.child('iqn'))));
  if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, rangeMessage(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) errors.push(required(path.child('secretRef')));
  if (secretRef !== undefined) errors.push(...requireFields(secretRef, path.child('secretRef'), 'name'));
  if (initiatorName !== undefined) errors.push(...validateIscsiName(initiatorName, path.child('initiatorname')));
  return errors;
}

function validateFibreChannel(source: V1FCVolumeSource, path: FieldPath): FieldError[] {
  const { targetWWNs = [], wwids = [], lun } = source;
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0) errors.push(invalid(path.child('targetWWNs'), targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, rangeMessage(0, 255)));
  return errors;
}

function isReservedOption(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
  return domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
}

function validateAzureDisk(source: V1AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const errors = requireFields(source, path, 'diskName', 'diskURI');
  const { kind, diskURI = '' } = source;
  if (source.cachingMode !== undefined) errors.push(...validateEnum(source.cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode')));
  if (kind === undefined) return errors;
  errors.push(...validateEnum(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind')));
  const managed = kind === 'Managed';
  if (!diskURI.startsWith(managed ? '/subscriptions/' : 'https://')) {
    const form = managed
      ? '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
      : 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
    errors.push(notSupportedInOrder(path.child('diskURI'), diskURI, [form]));
  }
  return errors;
}

function validateCsi(source: V1CSIPersistentVolumeSource, path: FieldPath): FieldError[] {
  const secrets = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;
  return [
    ...validateCsiDriverName(source.driver, path.child('driver')),
    ...requireFields(source, path, 'volumeHandle'),
    ...secrets.flatMap((field) => validateSecretReference(source[field], path.child(field))),
  ];
}

function validateSecretReference(secret: V1SecretReference | undefined, path: FieldPath): FieldError[] {
  if (secret === undefined) return [];
  return [
    ...(secret.name ? validateDnsSubdomain(secret.name, path.child('name')) : [required(path.child('name'))]),
    ...(secret.namespace ? validateDnsLabel(secret.namespace, path.child('namespace')) : [required(path.child('namespace'))]),
  ];
}
