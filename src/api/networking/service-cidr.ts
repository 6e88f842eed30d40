import type { V1ServiceCIDR } from '../generated/types.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { parseCidr, validateCidr } from '../meta/validation/ip.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreMetadata } from '../scheme/restore.js';

const CIDRS = FieldPath.of('spec', 'cidrs');

export const serviceCidr = defineKind<V1ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  tracksGeneration: false,
  defaults: (draft) => {
    draft.spec ??= {};
    draft.status ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object) => validateCidrs(object.spec?.cidrs ?? []),
  validateUpdate,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreMetadata(draft, old);
      },
    },
  },
  columns: [NAME, text('CIDRs', (object) => (object.spec?.cidrs ?? []).join(',')), AGE],
});

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, i) => validateCidr(cidr, CIDRS.index(i)));
  const families = cidrs.map((cidr) => parseCidr(cidr)?.network.family);
  if (families.length === 2 && families[0] !== undefined && families[0] === families[1]) {
    errors.push(invalid(CIDRS, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'));
  }
  return errors;
}

/** Nothing changes but that a second family may be added. */
function validateUpdate(object: V1ServiceCIDR, old: V1ServiceCIDR): FieldError[] {
  const now = object.spec?.cidrs ?? [];
  const before = old.spec?.cidrs ?? [];
  const grows = before.length === 1 && now.length === 2;
  if (before.length !== now.length && !grows) return [invalid(CIDRS, object.spec?.cidrs, IMMUTABLE_MESSAGE)];
  const errors = before.flatMap((cidr, i) => (cidr === now[i] ? [] : [invalid(CIDRS.index(i), now[i], IMMUTABLE_MESSAGE)]));
  return grows ? [...errors, ...validateCidrs(now)] : errors;
}
