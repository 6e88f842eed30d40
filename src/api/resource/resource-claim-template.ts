import type { V1ResourceClaimTemplate } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { goForm } from '../helpers/go-form.js';
import { forbidden, invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { validateAnnotations, validateLabels } from '../meta/validation/labels.js';
import { AGE, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateAdminRequests } from './admin-access.js';
import { defaultClaimSpec, validateClaimSpec } from './claim-spec.js';

const SPEC = FieldPath.of('spec');
const METADATA = SPEC.child('metadata');

export const resourceClaimTemplate = defineKind<V1ResourceClaimTemplate>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
  tracksGeneration: false,
  defaults: (draft) => {
    if (draft.spec?.spec !== undefined) defaultClaimSpec(draft.spec.spec);
  },
  validate: (object, context) => [...validateAdminRequests(object.spec?.spec, object.metadata?.namespace ?? '', context), ...validate(object)],
  validateUpdate: (object, old) => {
    const claim = ({ spec }: V1ResourceClaimTemplate): object => goForm(spec?.spec ?? {}, 'ResourceClaimSpec');
    const isSame = deepEqual(object.spec, old.spec) && deepEqual(claim(object), claim(old));
    return [...validate(object), ...(isSame ? [] : [invalid(SPEC, object.spec, IMMUTABLE_MESSAGE)])];
  },
  columns: [NAME, AGE],
});

function validate(object: V1ResourceClaimTemplate): FieldError[] {
  const metadata = object.spec?.metadata;
  const others = Object.entries(metadata ?? {}).filter(([field, value]) => field !== 'labels' && field !== 'annotations' && value !== undefined && value !== null);
  return [
    ...validateAnnotations(metadata?.annotations, METADATA.child('annotations')),
    ...validateLabels(metadata?.labels, METADATA.child('labels')),
    // Upstream makes the path of the struct's field name `UID`.
    ...others.map(([field]) => forbidden(METADATA.child(field === 'uid' ? 'uID' : field), 'cannot be set')),
    ...validateClaimSpec(object.spec?.spec, SPEC.child('spec')),
  ];
}
