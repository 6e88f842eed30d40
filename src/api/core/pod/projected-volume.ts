import type {
  V1ClusterTrustBundleProjection, V1DownwardAPIVolumeFile, V1DownwardAPIVolumeSource, V1KeyToPath, V1PodCertificateProjection, V1ProjectedVolumeSource,
} from '../../generated/types.js';
import { forbidden, invalid, notSupportedInOrder, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../meta/validation/label-selector.js';
import { ANNOTATIONS_MAX_BYTES } from '../../meta/validation/labels.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Subdomain } from '../../meta/validation/names.js';
import { validateDomainPrefixedKey } from '../../meta/validation/text.js';
import { tooLong } from '../../meta/field-error.js';
import { checkFieldRef, checkResourceFieldRef, VOLUME_FIELDS } from './field-refs.js';
import { checkFileMode, checkNonReservedPath } from './paths.js';
import { checkSignerName, isKubernetesSigner } from './signer-name.js';
import { checkKeyToPath } from './volume-sources.js';

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const DAY = 24 * 60 * 60;

export function checkDownwardApi(source: V1DownwardAPIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFileMode(source.defaultMode, path.child('defaultMode'), errors);
  for (const file of source.items ?? []) checkDownwardApiFile(file, path, errors);
}

function checkDownwardApiFile(file: V1DownwardAPIVolumeFile, path: FieldPath, errors: FieldError[]): void {
  if (!file.path) errors.push(required(path.child('path')));
  checkNonReservedPath(file.path ?? '', path.child('path'), errors);
  if (file.fieldRef) {
    checkFieldRef(file.fieldRef, VOLUME_FIELDS, path.child('fieldRef'), errors);
    if (file.resourceFieldRef) errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (file.resourceFieldRef) checkResourceFieldRef(file.resourceFieldRef, true, path.child('resourceFieldRef'), errors);
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  checkFileMode(file.mode, path.child('mode'), errors);
}

/** Sources that share one directory: their paths may not collide. */
export function checkProjected(volume: V1ProjectedVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFileMode(volume.defaultMode, path.child('defaultMode'), errors);
  const taken = new Set<string>();
  const take = (file: string, badValue: string): void => {
    if (taken.has(file)) errors.push(invalid(path, badValue, 'conflicting duplicate paths'));
    taken.add(file);
  };
  const checkItems = (items: readonly V1KeyToPath[] | undefined, name: string, at: FieldPath): void => {
    (items ?? []).forEach((item, i) => {
      checkKeyToPath(item, at.child('items').index(i), errors);
      if (item.path) take(item.path, name);
    });
  };
  (volume.sources ?? []).forEach((source, i) => {
    const at = path.child('sources').index(i);
    let count = 0;
    for (const kind of ['secret', 'configMap'] as const) {
      const projection = source[kind];
      if (!projection) continue;
      count++;
      if (!projection.name) errors.push(required(at.child(kind, 'name')));
      checkItems(projection.items, projection.name ?? '', at.child(kind));
    }
    if (source.downwardAPI) {
      count++;
      for (const file of source.downwardAPI.items ?? []) {
        checkDownwardApiFile(file, at.child('downwardAPI'), errors);
        if (file.path) take(file.path, file.path);
      }
    }
    if (source.serviceAccountToken) {
      count++;
      const { expirationSeconds = 0, path: file } = source.serviceAccountToken;
      const expiration = at.child('serviceAccountToken', 'expirationSeconds');
      if (expirationSeconds < 600) errors.push(invalid(expiration, expirationSeconds, 'may not specify a duration less than 10 minutes'));
      if (expirationSeconds > 2 ** 32) errors.push(invalid(expiration, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
      if (!file) errors.push(required(path.child('path')));
      else checkNonReservedPath(file, path.child('path'), errors);
    }
    if (source.clusterTrustBundle) {
      count++;
      checkTrustBundle(source.clusterTrustBundle, at.child('clusterTrustBundle'), errors);
      take(source.clusterTrustBundle.path ?? '', source.clusterTrustBundle.path ?? '');
    }
    if (source.podCertificate) {
      count++;
      checkPodCertificate(source.podCertificate, at.child('podCertificate'), take, errors);
    }
    if (count > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
  });
}

function checkTrustBundle(bundle: V1ClusterTrustBundleProjection, path: FieldPath, errors: FieldError[]): void {
  const { name, signerName } = bundle;
  if (name !== undefined && signerName !== undefined) errors.push(invalid(path, bundle, 'only one of name and signerName may be used'));
  else if (name !== undefined) {
    if (name === '') errors.push(required(path.child('name'), 'must be a valid object name'));
    const colon = name.lastIndexOf(':');
    for (const message of dns1123Subdomain(name.slice(colon + 1))) errors.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${message}`));
    if (bundle.labelSelector) errors.push(invalid(path.child('labelSelector'), bundle.labelSelector, 'labelSelector must be unset if name is specified'));
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(path.child('signerName'), 'must be a valid signer name'));
    checkSignerName(signerName, path.child('signerName'), errors);
    errors.push(...validateLabelSelector(bundle.labelSelector, path.child('labelSelector')));
  } else errors.push(required(path, 'either name or signerName must be specified'));
  if (!bundle.path) errors.push(required(path.child('path')));
  checkNonReservedPath(bundle.path ?? '', path.child('path'), errors);
}

function checkPodCertificate(certificate: V1PodCertificateProjection, path: FieldPath, take: (file: string, badValue: string) => void, errors: FieldError[]): void {
  checkSignerName(certificate.signerName ?? '', path.child('signerName'), errors);
  let total = 0;
  for (const [key, value] of Object.entries(certificate.userAnnotations ?? {})) {
    errors.push(...validateDomainPrefixedKey(key.toLowerCase(), path.child('userAnnotations')));
    total += byteLength(key) + byteLength(value);
  }
  if (total > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(path.child('userAnnotations'), ANNOTATIONS_MAX_BYTES));
  if (!KEY_TYPES.includes(certificate.keyType)) errors.push(notSupportedInOrder(path.child('keyType'), certificate.keyType ?? '', KEY_TYPES));
  const seconds = certificate.maxExpirationSeconds;
  if (seconds !== undefined) {
    const longest = isKubernetesSigner(certificate.signerName ?? '') ? DAY : 91 * DAY;
    if (seconds < 3600) errors.push(invalid(path.child('maxExpirationSeconds'), seconds, 'if provided, maxExpirationSeconds must be >= 3600'));
    if (seconds > longest) errors.push(invalid(path.child('maxExpirationSeconds'), seconds, `if provided, maxExpirationSeconds must be <= ${longest}`));
  }
  const fields = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).filter((field) => certificate[field]);
  for (const field of fields) {
    checkNonReservedPath(certificate[field]!, path.child(field), errors);
    take(certificate[field]!, certificate[field]!);
  }
  if (fields.length === 0) errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
}
