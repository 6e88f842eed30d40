import type {
  V1AzureDiskVolumeSource, V1CSIVolumeSource, V1ConfigMapVolumeSource, V1FCVolumeSource, V1FlexVolumeSource, V1FlockerVolumeSource,
  V1ISCSIVolumeSource, V1KeyToPath, V1NFSVolumeSource, V1QuobyteVolumeSource, V1SecretVolumeSource, V1StorageOSVolumeSource,
} from '../../generated/types.js';
import { invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { byteLength, rangeMessage } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { validateCsiDriverName } from '../validation/csi-driver-name.js';
import { checkFileMode, checkNonReservedPath } from './paths.js';

/** Rules of the sources of volumes, one function per source that has more than required fields. */
export function checkRequired(value: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!value) errors.push(required(path));
}

export function checkKeyToPath(item: V1KeyToPath, path: FieldPath, errors: FieldError[]): void {
  checkRequired(item.key, path.child('key'), errors);
  checkRequired(item.path, path.child('path'), errors);
  checkNonReservedPath(item.path ?? '', path.child('path'), errors);
  checkFileMode(item.mode, path.child('mode'), errors);
}

export function checkSecretSource(source: V1SecretVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.secretName, path.child('secretName'), errors);
  checkFileMode(source.defaultMode, path.child('defaultMode'), errors);
  (source.items ?? []).forEach((item, i) => checkKeyToPath(item, path.child('items').index(i), errors));
}

export function checkConfigMapSource(source: V1ConfigMapVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.name, path.child('name'), errors);
  checkFileMode(source.defaultMode, path.child('defaultMode'), errors);
  (source.items ?? []).forEach((item, i) => checkKeyToPath(item, path.child('items').index(i), errors));
}

/** Names a partition of a disk: 0 (none) to 255. */
export function checkPartition(partition: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) errors.push(invalid(path, partition, rangeMessage(1, 255)));
}

export function checkNfs(source: V1NFSVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.server, path.child('server'), errors);
  checkRequired(source.path, path.child('path'), errors);
  if (!source.path?.startsWith('/')) errors.push(invalid(path.child('path'), source.path ?? '', 'must be an absolute path'));
}

const ISCSI_NAMES: ReadonlyArray<readonly [string, RegExp]> = [
  ['iqn', /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]+:[^,;*&$|\s]+$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];

function checkIscsiName(name: string, path: FieldPath, errors: FieldError[]): void {
  const form = ISCSI_NAMES.find(([prefix]) => name.startsWith(prefix));
  if (form === undefined) errors.push(invalid(path, name, 'must be valid format starting with iqn, eui, or naa'));
  else if (!form[1].test(name)) errors.push(invalid(path, name, 'must be valid format'));
}

export function checkIscsi(source: V1ISCSIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.targetPortal, path.child('targetPortal'), errors);
  if (!source.iqn) errors.push(required(path.child('iqn')));
  else checkIscsiName(source.iqn, path.child('iqn'), errors);
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, rangeMessage(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) errors.push(required(path.child('secretRef')));
  if (source.initiatorName !== undefined) checkIscsiName(source.initiatorName, path.child('initiatorname'), errors);
}

export function checkFc(source: V1FCVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const names = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  const at = path.child('targetWWNs');
  if (names.length === 0 && ids.length === 0) errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (names.length > 0 && ids.length > 0) errors.push(invalid(at, names, 'targetWWNs and wwids can not be specified simultaneously'));
  if (names.length === 0) return;
  if (source.lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (source.lun < 0 || source.lun > 255) errors.push(invalid(path.child('lun'), source.lun, rangeMessage(0, 255)));
}

export function checkQuobyte(source: V1QuobyteVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const rule = 'must be a host:port pair or multiple pairs separated by commas';
  if (!source.registry) errors.push(required(path.child('registry'), rule));
  else if (byteLength(source.tenant ?? '') >= 65) errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else {
    for (const pair of source.registry.split(',')) {
      if (!/^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair)) errors.push(invalid(path.child('registry'), source.registry, rule));
    }
  }
  checkRequired(source.volume, path.child('volume'), errors);
}

export function checkFlocker(source: V1FlockerVolumeSource, path: FieldPath, errors: FieldError[]): void {
  if (!source.datasetName && !source.datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (source.datasetName && source.datasetUUID) errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (source.datasetName?.includes('/')) errors.push(invalid(path.child('datasetName'), source.datasetName, "must not contain '/'"));
}

export function checkFlexVolume(source: V1FlexVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.driver, path.child('driver'), errors);
  for (const key in source.options) {
    const domain = `.${key.split('/', 1)[0]!.toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
    }
  }
}

export function checkAzureDisk(source: V1AzureDiskVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkRequired(source.diskName, path.child('diskName'), errors);
  checkRequired(source.diskURI, path.child('diskURI'), errors);
  const modes = ['None', 'ReadOnly', 'ReadWrite'];
  const kinds = ['Dedicated', 'Managed', 'Shared'];
  if (source.cachingMode !== undefined && !modes.includes(source.cachingMode)) errors.push(notSupported(path.child('cachingMode'), source.cachingMode, modes));
  if (source.kind === undefined) return;
  if (!kinds.includes(source.kind)) errors.push(notSupported(path.child('kind'), source.kind, kinds));
  const uri = source.diskURI ?? '';
  if (source.kind === 'Managed' && !uri.startsWith('/subscriptions/')) {
    errors.push(notSupported(path.child('diskURI'), uri, ['/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}']));
  }
  if (source.kind !== 'Managed' && !uri.startsWith('https://')) {
    errors.push(notSupported(path.child('diskURI'), uri, ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd']));
  }
}

export function checkStorageOs(source: V1StorageOSVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const label = (value: string, at: FieldPath): void => dns1123Label(value).forEach((message) => errors.push(invalid(at, value, message)));
  if (!source.volumeName) errors.push(required(path.child('volumeName')));
  else label(source.volumeName, path.child('volumeName'));
  if (source.volumeNamespace) label(source.volumeNamespace, path.child('volumeNamespace'));
  if (source.secretRef && !source.secretRef.name) errors.push(required(path.child('secretRef', 'name')));
}

export function checkCsi(source: V1CSIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  errors.push(...validateCsiDriverName(source.driver, path.child('driver')));
  if (!source.nodePublishSecretRef) return;
  const { name } = source.nodePublishSecretRef;
  if (!name) errors.push(required(path.child('nodePublishSecretRef', 'name')));
  else for (const message of dns1123Subdomain(name)) errors.push(invalid(path.child('name'), name, message));
}
