import type { V1LabelSelector } from '../../generated/types.js';
import { forbidden, invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelName } from '../../meta/validation/labels.js';

/** Rules of `matchLabelKeys` and `mismatchLabelKeys` of affinity terms and spread constraints (KEP-3633). */
export function checkMatchLabelKeys(
  match: readonly string[],
  mismatch: readonly string[],
  selector: V1LabelSelector | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (match.length === 0 && mismatch.length === 0) return;
  checkKeys(match, selector, path.child('matchLabelKeys'), errors);
  checkKeys(mismatch, selector, path.child('mismatchLabelKeys'), errors);
  if (selector) {
    // The server itself adds one requirement per key; a second one of the user is what is refused.
    const used = new Set(Object.keys(selector.matchLabels ?? {}));
    for (const { key } of selector.matchExpressions ?? []) {
      const index = match.lastIndexOf(key);
      if (index >= 0 && used.has(key)) errors.push(invalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector'));
      used.add(key);
    }
  }
  match.forEach((key, i) => {
    if (mismatch.includes(key)) errors.push(invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
}

function checkKeys(keys: readonly string[], selector: V1LabelSelector | undefined, path: FieldPath, errors: FieldError[]): void {
  if (keys.length === 0) return;
  if (!selector) return void errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  keys.forEach((key, i) => errors.push(...validateLabelName(key, path.index(i))));
}
