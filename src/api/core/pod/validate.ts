import type { V1Pod } from '../../generated/types.js';
import { forbidden, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { checkPodAnnotations, checkProfileAnnotations } from './annotations.js';
import { checkImageSpace } from './containers.js';
import { checkPodSpec } from './spec.js';

export const METADATA = FieldPath.of('metadata');
export const SPEC = FieldPath.of('spec');
const ANNOTATIONS = METADATA.child('annotations');

/** Rules of a new pod. */
export function validatePod(pod: V1Pod): FieldError[] {
  const errors: FieldError[] = [];
  checkPod(pod, errors);
  const spec = pod.spec ?? { containers: [] };
  if (spec.ephemeralContainers?.length) errors.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  if (spec.nodeName && spec.schedulingGates?.length) errors.push(forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  checkProfileAnnotations(pod.metadata, spec, SPEC, errors);
  return errors;
}

/** What new and updated pods have in common. */
export function checkPod(pod: V1Pod, errors: FieldError[]): void {
  const spec = pod.spec ?? { containers: [] };
  checkPodAnnotations(pod.metadata?.annotations, spec, ANNOTATIONS, errors);
  checkPodSpec(spec, SPEC, { isPod: true, podMeta: pod.metadata ?? {} }, errors);
  if (!spec.serviceAccountName) {
    spec.volumes?.forEach((volume, i) => {
      volume.projected?.sources?.forEach((source, j) => {
        if (!source.serviceAccountToken) return;
        errors.push(forbidden(SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken'),
          'must not be specified when serviceAccountName is not set'));
      });
    });
  }
  spec.containers?.forEach((container, i) => checkImageSpace(container, SPEC.child('containers').index(i), errors));
  spec.initContainers?.forEach((container, i) => checkImageSpace(container, SPEC.child('initContainers').index(i), errors));
}
