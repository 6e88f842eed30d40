import { invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1035Label } from '../meta/validation/names.js';

const KNOWN = ['v1', 'v1beta1'];

/** Rules of the versions of review objects that a webhook takes. `detail`: what to say when there is none. */
export function validateReviewVersions(versions: readonly string[] | undefined, requireKnown: boolean, path: FieldPath, detail = ''): FieldError[] {
  if (versions === undefined || versions.length === 0) return [required(path, detail)];
  const errors = versions.flatMap((version, i) => {
    if (versions.indexOf(version) < i) return [invalid(path.index(i), version, 'duplicate version')];
    return dns1035Label(version).map((message) => invalid(path.index(i), version, message));
  });
  if (requireKnown && !hasKnownReviewVersion(versions)) errors.push(invalid(path, versions, `must include at least one of ${KNOWN.join(', ')}`));
  return errors;
}

/** Whether one of the versions is ours to speak. */
export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => KNOWN.includes(version));
}
