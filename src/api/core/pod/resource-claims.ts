import type { V1ObjectMeta, V1PodResourceClaim } from '../../generated/types.js';
import { duplicate, forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { MIRROR_ANNOTATION } from './annotations.js';

/** Rules of `resourceClaims`. */
export function checkResourceClaims(claims: readonly V1PodResourceClaim[] | undefined, podMeta: V1ObjectMeta | undefined, path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  claims?.forEach((claim, i) => {
    const at = path.index(i);
    if (podMeta?.annotations?.[MIRROR_ANNOTATION] !== undefined) return void errors.push(forbidden(FieldPath.of(''), 'static pods do not support resource claims'));
    if (!claim.name) errors.push(required(at.child('name')));
    else if (names.has(claim.name)) errors.push(duplicate(at.child('name'), claim.name));
    else {
      for (const message of dns1123Label(claim.name)) errors.push(invalid(at.child('name'), claim.name, message));
      names.add(claim.name);
    }
    const { resourceClaimName, resourceClaimTemplateName } = claim;
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const name = claim[field];
      if (name !== undefined) for (const message of dns1123Subdomain(name)) errors.push(invalid(at.child(field), name, message));
    }
  });
}
