import type { V1ObjectMeta, V1PersistentVolumeClaimTemplate } from '../../generated/types.js';
import { forbidden, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateAnnotations, validateLabels } from '../../meta/validation/labels.js';
import { validateClaimSpec } from '../persistent-volume-claim-validation.js';

/** The fields of metadata that a template may not set, in upstream's order and spelling. */
const FORBIDDEN: ReadonlyArray<readonly [keyof V1ObjectMeta, string]> = [
  ['name', 'name'], ['generateName', 'generateName'], ['namespace', 'namespace'], ['selfLink', 'selfLink'], ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'], ['generation', 'generation'], ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'], ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'], ['finalizers', 'finalizers'], ['managedFields', 'managedFields'],
];

/** Labels and annotations are all that the metadata of a template may have. */
function checkTemplateMetadata(meta: V1ObjectMeta | undefined, path: FieldPath, errors: FieldError[]): void {
  if (meta === undefined) return;
  errors.push(...validateAnnotations(meta.annotations, path.child('annotations')), ...validateLabels(meta.labels, path.child('labels')));
  for (const [field, name] of FORBIDDEN) {
    const value = meta[field];
    if (value !== undefined && value !== '' && (value !== 0 || field === 'deletionGracePeriodSeconds')) errors.push(forbidden(path.child(name), 'cannot be set'));
  }
}

/** The claim of an ephemeral volume. */
export function checkClaimTemplate(template: V1PersistentVolumeClaimTemplate, path: FieldPath, errors: FieldError[]): void {
  checkTemplateMetadata(template.metadata, path.child('metadata'), errors);
  errors.push(...validateClaimSpec(template.spec ?? {}, path.child('spec')));
}
