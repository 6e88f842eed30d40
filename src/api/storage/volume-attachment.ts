import type { V1VolumeAttachment, V1VolumeAttachmentSource, V1VolumeError } from '../generated/types.js';
import { validateVolumeSpec } from '../core/persistent-volume-validation.js';
import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { validateDnsSubdomain } from '../core/validation/names.js';
import { forbidden, invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { byteLength, rangeMessage } from '../meta/validation/messages.js';
import { AGE, flag, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreMetadata } from '../scheme/restore.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_ERROR_BYTES = 1024;

export const volumeAttachment = defineKind<V1VolumeAttachment>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  tracksGeneration: false,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    draft.status ??= { attached: false };
    draft.status.attached ??= false;
  },
  prepareForCreate: (draft) => {
    draft.status = { attached: false };
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate,
  validateUpdate,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreMetadata(draft, old);
      },
      validateUpdate,
    },
  },
  columns: [
    NAME,
    { name: 'Attacher', type: 'string', format: 'name', cell: (object) => object.spec?.attacher ?? '' },
    text('PV', (object) => object.spec?.source?.persistentVolumeName ?? ''),
    text('Node', (object) => object.spec?.nodeName ?? ''),
    flag('Attached', (object) => object.status?.attached ?? false),
    AGE,
  ],
});

function validateUpdate(object: V1VolumeAttachment, old: V1VolumeAttachment): FieldError[] {
  return [...validate(object), ...validateImmutable(object.spec, old.spec, SPEC)];
}

function validate(object: V1VolumeAttachment): FieldError[] {
  const { attacher, source = {}, nodeName = '' } = object.spec ?? {};
  const status = object.status;
  const metadataBytes = Object.entries(status?.attachmentMetadata ?? {}).reduce((size, [key, value]) => size + byteLength(key) + byteLength(value), 0);
  const volume = source.persistentVolumeName;
  return [
    ...validateCsiDriverName(attacher, SPEC.child('attacher')),
    ...validateSource(source, SPEC.child('source')),
    ...validateDnsSubdomain(nodeName, SPEC.child('nodeName')),
    ...(metadataBytes > MAX_METADATA_BYTES ? [tooLong(STATUS.child('attachmentMetadata'), MAX_METADATA_BYTES)] : []),
    ...validateVolumeError(status?.attachError, STATUS.child('attachError')),
    ...validateVolumeError(status?.detachError, STATUS.child('detachError')),
    ...(volume === undefined ? [] : validateDnsSubdomain(volume, FieldPath.of('spec.source.persistentVolumeName'))),
  ];
}

function validateSource(source: V1VolumeAttachmentSource, path: FieldPath): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const oneOf = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec === undefined) {
    if (persistentVolumeName === undefined) return [required(path, oneOf)];
    return persistentVolumeName === '' ? [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')] : [];
  }
  if (persistentVolumeName !== undefined) return [forbidden(path, oneOf)];
  return validateVolumeSpec(inlineVolumeSpec, '', path.child('inlineVolumeSpec'), { inline: true });
}

function validateVolumeError(error: V1VolumeError | undefined, path: FieldPath): FieldError[] {
  if (error === undefined) return [];
  return [
    // The limit that upstream prints is that of the metadata.
    ...(byteLength(error.message ?? '') > MAX_ERROR_BYTES ? [tooLong(path.child('message'), MAX_METADATA_BYTES)] : []),
    ...((error.errorCode ?? 0) < 0 ? [invalid(path.child('errorCode'), error.errorCode, rangeMessage(0, 2147483647))] : []),
  ];
}
