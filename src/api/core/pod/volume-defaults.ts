import type { Draft } from '../../draft.js';
import type { V1DownwardAPIVolumeFile, V1ResourceFieldSelector, V1Volume } from '../../generated/types.js';
import { canonicalQuantity } from '../../quantity.js';
import { defaultClaimSpec } from '../persistent-volume-claim.js';
import { imageTag } from './image-name.js';

/** Octal 0644. */
const DEFAULT_MODE = 0o644;
const TOKEN_SECONDS = 3600;

/** Fills in what a volume leaves out. A volume without a source is an empty directory. */
export function volumeDefaults(volume: Draft<V1Volume>): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  const { emptyDir, hostPath, secret, configMap, downwardAPI, projected, iscsi, rbd, azureDisk, scaleIO, ephemeral, image } = volume;
  if (emptyDir?.sizeLimit !== undefined) emptyDir.sizeLimit = canonical(emptyDir.sizeLimit);
  if (hostPath) hostPath.type ??= '';
  if (secret) secret.defaultMode ??= DEFAULT_MODE;
  if (configMap) configMap.defaultMode ??= DEFAULT_MODE;
  if (downwardAPI) {
    downwardAPI.defaultMode ??= DEFAULT_MODE;
    downwardAPI.items?.forEach(fileDefaults);
  }
  if (projected) {
    projected.defaultMode ??= DEFAULT_MODE;
    for (const source of projected.sources ?? []) {
      source.downwardAPI?.items?.forEach(fileDefaults);
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    }
  }
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= 'Shared';
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
  const claim = ephemeral?.volumeClaimTemplate;
  if (claim) {
    claim.metadata ??= {};
    claim.spec ??= {};
    defaultClaimSpec(claim.spec);
  }
  if (image) image.pullPolicy ||= imageTag(image.reference ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The divisor of a resource reference is always answered. */
export function resourceRefDefaults(ref: Draft<V1ResourceFieldSelector>): void {
  ref.divisor = ref.divisor === undefined ? '0' : canonical(ref.divisor);
}

function fileDefaults(file: Draft<V1DownwardAPIVolumeFile>): void {
  if (file.fieldRef) file.fieldRef.apiVersion ||= 'v1';
  if (file.resourceFieldRef) resourceRefDefaults(file.resourceFieldRef);
}

function canonical(text: string): string {
  try {
    return canonicalQuantity(text);
  } catch {
    // The decoder is the one that refuses it.
    return text;
  }
}

function hasSource(volume: Draft<V1Volume>): boolean {
  for (const key in volume) if (key !== 'name' && volume[key as keyof V1Volume] !== undefined) return true;
  return false;
}
