import type { V1Affinity, V1NodeAffinity, V1PodAffinity, V1PodAffinityTerm } from '../../generated/types.js';
import { invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../meta/validation/label-selector.js';
import { validateLabelName } from '../../meta/validation/labels.js';
import { dns1123Label } from '../../meta/validation/names.js';
import { validateNodeSelector, validateNodeSelectorTerm } from '../validation/node-selector.js';
import { checkMatchLabelKeys } from './match-label-keys.js';

/** Rules of `affinity`. */
export function checkAffinity(affinity: V1Affinity | undefined, path: FieldPath, errors: FieldError[]): void {
  if (affinity?.nodeAffinity) checkNodeAffinity(affinity.nodeAffinity, path.child('nodeAffinity'), errors);
  if (affinity?.podAffinity) checkPodAffinity(affinity.podAffinity, path.child('podAffinity'), errors);
  if (affinity?.podAntiAffinity) checkPodAffinity(affinity.podAntiAffinity, path.child('podAntiAffinity'), errors);
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function checkNodeAffinity(affinity: V1NodeAffinity, path: FieldPath, errors: FieldError[]): void {
  if (affinity[REQUIRED]) errors.push(...validateNodeSelector(affinity[REQUIRED], path.child(REQUIRED)));
  affinity[PREFERRED]?.forEach((term, i) => {
    const at = path.child(PREFERRED).index(i);
    checkWeight(term.weight, at, errors);
    // Bad label values in preferences only warn.
    errors.push(...validateNodeSelectorTerm(term.preference ?? {}, at.child('preference'), { allowInvalidLabelValue: true }));
  });
}

function checkPodAffinity(affinity: V1PodAffinity, path: FieldPath, errors: FieldError[]): void {
  affinity[REQUIRED]?.forEach((term, i) => checkPodTerm(term, path.child(REQUIRED).index(i), errors));
  affinity[PREFERRED]?.forEach((weighted, i) => {
    const at = path.child(PREFERRED).index(i);
    checkWeight(weighted.weight, at, errors);
    checkPodTerm(weighted.podAffinityTerm ?? { topologyKey: '' }, at.child('podAffinityTerm'), errors);
  });
}

function checkPodTerm(term: V1PodAffinityTerm, path: FieldPath, errors: FieldError[]): void {
  errors.push(...validateLabelSelector(term.labelSelector, path.child('labelSelector')), ...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')));
  for (const name of term.namespaces ?? []) for (const message of dns1123Label(name)) errors.push(invalid(path.child('namespace'), name, message));
  checkMatchLabelKeys(term.matchLabelKeys ?? [], term.mismatchLabelKeys ?? [], term.labelSelector, path, errors);
  if (!term.topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  errors.push(...validateLabelName(term.topologyKey ?? '', path.child('topologyKey')));
}

function checkWeight(weight: number | undefined, path: FieldPath, errors: FieldError[]): void {
  const value = weight ?? 0;
  if (value <= 0 || value > 100) errors.push(invalid(path.child('weight'), value, 'must be in the range 1-100'));
}
