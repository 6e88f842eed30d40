import type { V1TopologySpreadConstraint } from '../../generated/types.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../meta/validation/label-selector.js';
import { validatePositive } from '../../meta/validation/numbers.js';
import { checkMatchLabelKeys } from './match-label-keys.js';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

/** Rules of `topologySpreadConstraints`. */
export function checkTopologySpread(constraints: readonly V1TopologySpreadConstraint[] | undefined, path: FieldPath, errors: FieldError[]): void {
  // Where a pair of key and action stands for the last time.
  const last = new Map(constraints?.map(({ topologyKey, whenUnsatisfiable }, i) => [JSON.stringify([topologyKey, whenUnsatisfiable]), i] as const));
  constraints?.forEach((constraint, i) => {
    const at = path.index(i);
    const { topologyKey = '', whenUnsatisfiable: action = '' } = constraint;
    errors.push(...validatePositive(constraint.maxSkew ?? 0, at.child('maxSkew')));
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    if (!ACTIONS.includes(action)) errors.push(notSupported(at.child('whenUnsatisfiable'), action, ACTIONS));
    if ((last.get(JSON.stringify([topologyKey, action])) ?? i) > i) {
      errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${action}}`));
    }
    const { minDomains } = constraint;
    if (minDomains !== undefined) {
      errors.push(...validatePositive(minDomains, at.child('minDomains')));
      if (action !== 'DoNotSchedule') {
        errors.push(invalid(at.child('minDomains'), minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`));
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field];
      if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported(at.child(field), policy, POLICIES));
    }
    checkMatchLabelKeys(constraint.matchLabelKeys ?? [], [], constraint.labelSelector, at, errors);
    errors.push(...validateLabelSelector(constraint.labelSelector, at.child('labelSelector')));
  });
}
