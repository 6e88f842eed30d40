import type { V1NodeSelectorRequirement, V1PersistentVolume, V1PersistentVolumeSpec, V1VolumeNodeAffinity } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { goForm } from '../helpers/go-form.js';
import { jsonDiff } from '../helpers/line-diff.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { IMMUTABLE_MESSAGE, validateImmutable } from '../meta/validation/immutable.js';
import { validateAccessModes } from './validation/access-modes.js';
import { validateDnsSubdomain } from './validation/names.js';
import { nodeSelectorHasInvalidLabelValue, validateNodeSelector } from './validation/node-selector.js';
import { validateBasicQuantity, validatePositiveQuantity } from './validation/quantities.js';
import { VOLUME_SOURCES } from './validation/volume-sources.js';

const SPEC = FieldPath.of('spec');
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const WITH_MOUNT_OPTIONS = [
  'gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi', 'cinder', 'cephfs', 'azureFile', 'vsphereVolume',
  'azureDisk', 'photonPersistentDisk',
] as const;
/** Labels of nodes whose name in a volume's affinity may be brought up to date. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

export interface VolumeSpecOptions {
  /** The spec stands in another object (a VolumeAttachment): only what makes sense there is allowed. */
  readonly inline?: boolean;
  readonly allowInvalidLabelValue?: boolean;
}

export function validatePersistentVolume(object: V1PersistentVolume, old: V1PersistentVolume | undefined): FieldError[] {
  return [
    ...validateVolumeSpec(object.spec ?? {}, object.metadata?.name ?? '', SPEC, {
      allowInvalidLabelValue: nodeSelectorHasInvalidLabelValue(old?.spec?.nodeAffinity?.required),
    }),
    ...validateMountOptions(object),
  ];
}

export function validatePersistentVolumeUpdate(object: V1PersistentVolume, old: V1PersistentVolume): FieldError[] {
  const errors = [...validatePersistentVolume(object, old), ...validatePersistentVolume(object, old).filter((error) => !error.field.startsWith('metadata'))];
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  if (VOLUME_SOURCES.some(({ field }) => !sameSource(field, spec, before))) {
    const change = jsonDiff(goForm(before, 'PersistentVolumeSource'), goForm(spec, 'PersistentVolumeSource'));
    errors.push(forbidden(SPEC.child('persistentvolumesource'), `spec.persistentvolumesource is immutable after creation\n${change}`));
  }
  errors.push(...validateImmutable(spec.volumeMode, before.volumeMode, FieldPath.of('volumeMode')));
  if (before.nodeAffinity !== undefined && !sameAffinity(spec.nodeAffinity, before.nodeAffinity)) {
    errors.push(invalid(FieldPath.of('nodeAffinity'), spec.nodeAffinity && goForm(spec.nodeAffinity, 'VolumeNodeAffinity'), `${IMMUTABLE_MESSAGE}, except for updating from beta label to GA`));
  }
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.push(forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden'));
  }
  return errors;
}

/** Rules of the spec of a volume. */
export function validateVolumeSpec(spec: V1PersistentVolumeSpec, name: string, path: FieldPath, options: VolumeSpecOptions = {}): FieldError[] {
  const inline = options.inline === true;
  const errors: FieldError[] = inline ? validateInlineSpec(spec, path) : [];
  if ((spec.accessModes?.length ?? 0) === 0) errors.push(required(path.child('accessModes')));
  errors.push(...validateAccessModes(spec.accessModes, path.child('accessModes')));
  if (!inline) errors.push(...validateCapacity(spec, path.child('capacity')));
  if (spec.persistentVolumeReclaimPolicy) {
    const policyPath = path.child('persistentVolumeReclaimPolicy');
    if (!inline) errors.push(...validateEnum(spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES, policyPath));
    else if (spec.persistentVolumeReclaimPolicy !== 'Retain') errors.push(forbidden(policyPath, 'may only be Retain in the context of inline volumes'));
  }
  if (spec.nodeAffinity !== undefined) errors.push(...validateAffinity(spec.nodeAffinity, inline, path.child('nodeAffinity'), options));
  errors.push(...validateSources(spec, name, path));
  if (spec.hostPath !== undefined && /^\/+$/.test(spec.hostPath.path ?? '') && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    errors.push(forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (spec.storageClassName) {
    if (inline) errors.push(forbidden(path.child('storageClassName'), 'may not be specified in the context of inline volumes'));
    else errors.push(...validateDnsSubdomain(spec.storageClassName, path.child('storageClassName')));
  }
  if (spec.volumeMode !== undefined) {
    if (!inline) errors.push(...validateEnum(spec.volumeMode, ['Block', 'Filesystem'], path.child('volumeMode')));
    else if (spec.volumeMode !== 'Filesystem') errors.push(forbidden(path.child('volumeMode'), 'may not specify volumeMode other than Filesystem in the context of inline volumes'));
  }
  if (spec.volumeAttributesClassName !== undefined && !inline) {
    const at = path.child('volumeAttributesClassName');
    if (spec.volumeAttributesClassName === '') errors.push(required(at, 'an empty string is disallowed'));
    else errors.push(...validateDnsSubdomain(spec.volumeAttributesClassName, at));
    if (spec.csi === undefined) errors.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  }
  return errors;
}

function validateInlineSpec(spec: V1PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const inlineOnly = 'may not be specified in the context of inline volumes';
  return [
    ...(spec.claimRef === undefined ? [] : [forbidden(path.child('claimRef'), inlineOnly)]),
    ...(Object.keys(spec.capacity ?? {}).length === 0 ? [] : [forbidden(path.child('capacity'), inlineOnly)]),
    ...(spec.csi === undefined ? [required(path.child('csi'), 'has to be specified in the context of inline volumes')] : []),
  ];
}

function validateCapacity(spec: V1PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const capacity = spec.capacity ?? {};
  const names = Object.keys(capacity);
  const errors: FieldError[] = names.length === 0 ? [required(path)] : [];
  if (capacity['storage'] === undefined || names.length > 1) errors.push(notSupported(path, spec.capacity, ['storage']));
  for (const name of names) {
    errors.push(...validateBasicQuantity(capacity[name]!, path.key(name)), ...validatePositiveQuantity(capacity[name]!, path.key(name)));
  }
  return errors;
}

function validateAffinity(affinity: V1VolumeNodeAffinity, inline: boolean, path: FieldPath, options: VolumeSpecOptions): FieldError[] {
  if (inline) return [forbidden(path, 'may not be specified in the context of inline volumes')];
  if (affinity.required === undefined) return [required(path.child('required'), 'must specify required node constraints')];
  return validateNodeSelector(affinity.required, path.child('required'), options);
}

function validateSources(spec: V1PersistentVolumeSpec, name: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const source of VOLUME_SOURCES) {
    if (spec[source.field] === undefined) continue;
    // A flex volume is let pass beside another one.
    if (count > 0 && source.field !== 'flexVolume') {
      errors.push(forbidden(path.child(source.forbiddenAs ?? source.field), 'may not specify more than 1 volume type'));
      continue;
    }
    count++;
    errors.push(...source.validate(spec, path.child(source.reportedAs ?? source.field), name));
    if (source.field === 'local' && spec.nodeAffinity === undefined) errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

function validateMountOptions(object: V1PersistentVolume): FieldError[] {
  if (object.metadata?.annotations?.[MOUNT_OPTIONS] === undefined) return [];
  if (WITH_MOUNT_OPTIONS.some((field) => object.spec?.[field] !== undefined)) return [];
  return [forbidden(FieldPath.of('metadata', 'annotations', MOUNT_OPTIONS), 'may not specify mount options for this volume type')];
}

function sameSource(field: keyof V1PersistentVolumeSpec, spec: V1PersistentVolumeSpec, before: V1PersistentVolumeSpec): boolean {
  if (field === 'csi' && spec.csi?.controllerExpandSecretRef !== undefined && before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined) {
    return deepEqual({ ...spec.csi, controllerExpandSecretRef: undefined }, before.csi);
  }
  return deepEqual({ [field]: spec[field] }, { [field]: before[field] });
}

function sameAffinity(affinity: V1VolumeNodeAffinity | undefined, before: V1VolumeNodeAffinity): boolean {
  if (deepEqual(affinity, before)) return true;
  const now = affinity?.required?.nodeSelectorTerms ?? [];
  const then = before.required?.nodeSelectorTerms ?? [];
  return now.length === then.length && now.every((term, i) =>
    sameRequirements(term.matchExpressions, then[i]!.matchExpressions) && sameRequirements(term.matchFields, then[i]!.matchFields));
}

function sameRequirements(now: readonly V1NodeSelectorRequirement[] = [], then: readonly V1NodeSelectorRequirement[] = []): boolean {
  return now.length === then.length && now.every((requirement, i) => {
    // Upstream takes an empty key for the successor of labels that have none.
    const key = (SUCCESSORS[then[i]!.key] ?? '') === requirement.key ? requirement.key : then[i]!.key;
    return deepEqual(requirement, { ...then[i], key });
  });
}
