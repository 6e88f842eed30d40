import type {
  V1Affinity, V1NodeAffinity, V1NodeSelector, V1NodeSelectorRequirement, V1NodeSelectorTerm, V1PodAffinity, V1PodAffinityTerm,
} from '../../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../meta/validation/label-selector.js';
import { labelValue, validateLabelName } from '../../meta/validation/labels.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
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
  if (affinity[REQUIRED]) checkNodeSelector(affinity[REQUIRED], path.child(REQUIRED), errors);
  affinity[PREFERRED]?.forEach((term, i) => {
    const at = path.child(PREFERRED).index(i);
    checkWeight(term.weight, at, errors);
    // Bad label values in preferences only warn.
    checkTerm(term.preference ?? {}, true, at.child('preference'), errors);
  });
}

/** Rules of a node selector, here and in volumes. */
export function checkNodeSelector(selector: V1NodeSelector, path: FieldPath, errors: FieldError[]): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const at = path.child('nodeSelectorTerms');
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
  terms.forEach((term, i) => checkTerm(term, false, at.index(i), errors));
}

function checkTerm(term: V1NodeSelectorTerm, anyValue: boolean, path: FieldPath, errors: FieldError[]): void {
  term.matchExpressions?.forEach((requirement, i) => checkExpression(requirement, anyValue, path.child('matchExpressions').index(i), errors));
  term.matchFields?.forEach((requirement, i) => checkField(requirement, path.child('matchFields').index(i), errors));
}

function checkExpression(requirement: V1NodeSelectorRequirement, anyValue: boolean, path: FieldPath, errors: FieldError[]): void {
  const values = requirement.values ?? [];
  const at = path.child('values');
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(requirement.key ?? '', path.child('key')));
  if (anyValue) return;
  values.forEach((value, i) => {
    for (const message of labelValue(value)) errors.push(invalid(at.index(i), value, message));
  });
}

function checkField(requirement: V1NodeSelectorRequirement, path: FieldPath, errors: FieldError[]): void {
  const values = requirement.values ?? [];
  if (requirement.operator === 'In' || requirement.operator === 'NotIn') {
    if (values.length !== 1) errors.push(required(path.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  } else errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  if (requirement.key !== 'metadata.name') return void errors.push(invalid(path.child('key'), requirement.key ?? '', 'not a valid field selector key'));
  values.forEach((value, i) => {
    for (const message of dns1123Subdomain(value)) errors.push(invalid(path.child('values').index(i), value, message));
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
