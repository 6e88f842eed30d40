import type { V1PodTemplateSpec } from '../../generated/types.js';
import { forbidden, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateAnnotations, validateLabels } from '../../meta/validation/labels.js';
import { checkPodAnnotations, checkProfileAnnotations } from './annotations.js';
import { checkPodSpec } from './spec.js';

/** Rules of a pod template. */
export function validatePodTemplate(template: V1PodTemplateSpec | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  checkPodTemplate(template, path, errors);
  return errors;
}

/** As {@link validatePodTemplate}, adding to a list. */
export function checkPodTemplate(template: V1PodTemplateSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const meta = template?.metadata;
  const spec = template?.spec ?? { containers: [] };
  errors.push(...validateLabels(meta?.labels, path.child('labels')), ...validateAnnotations(meta?.annotations, path.child('annotations')));
  checkPodAnnotations(meta?.annotations, spec, path.child('annotations'), errors);
  checkPodSpec(spec, path.child('spec'), { isPod: false }, errors);
  checkProfileAnnotations(meta, spec, path.child('spec'), errors);
  if (spec.ephemeralContainers?.length) errors.push(forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
}
