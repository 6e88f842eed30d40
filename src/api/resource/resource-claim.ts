import type { ResourceV1ResourceClaim } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { goForm } from '../helpers/go-form.js';
import { invalid } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreMetadata } from '../scheme/restore.js';
import { validateAdminRequests, validateAdminResults } from './admin-access.js';
import { defaultClaimSpec, validateClaimSpec } from './claim-spec.js';
import { deviceKey, validateClaimStatusUpdate } from './claim-status.js';

const SPEC = FieldPath.of('spec');

export const resourceClaim = defineKind<ResourceV1ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  tracksGeneration: false,
  defaults: (draft) => {
    if (draft.spec !== undefined) defaultClaimSpec(draft.spec);
    draft.status ??= {};
    for (const { tolerations = [] } of draft.status.allocation?.devices?.results ?? []) for (const toleration of tolerations) toleration.operator ||= 'Equal';
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object, context) => [...validateAdminRequests(object.spec, object.metadata?.namespace ?? '', context), ...validateClaimSpec(object.spec, SPEC)],
  validateUpdate: (object, old) => (deepEqual(shown(object), shown(old)) ? [] : [invalid(SPEC, shown(object), IMMUTABLE_MESSAGE)]),
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreMetadata(draft, old);
        // What is known about devices goes when they are no longer allocated.
        const { status } = draft;
        if (old.status?.allocation === undefined || status?.devices === undefined) return;
        const allocated = new Set((status.allocation?.devices?.results ?? []).map(deviceKey));
        const gone = new Set((old.status.allocation.devices?.results ?? []).map(deviceKey).filter((key) => !allocated.has(key)));
        status.devices = status.devices.filter((device) => !gone.has(deviceKey(device)));
        if (status.devices.length === 0) delete status.devices;
      },
      validateUpdate: (object, old, context) => [
        ...validateAdminResults(object.status, old.status, object.metadata?.namespace ?? '', context),
        ...validateClaimStatusUpdate(object, old),
      ],
    },
  },
  columns: [NAME, text('State', stateText), AGE],
});

/** The spec as messages show it. */
function shown(object: ResourceV1ResourceClaim): object {
  return goForm(object.spec ?? {}, 'ResourceClaimSpec');
}

function stateText(object: ResourceV1ResourceClaim): string {
  const deleted = object.metadata?.deletionTimestamp !== undefined;
  const { allocation, reservedFor = [] } = object.status ?? {};
  const states = allocation !== undefined ? ['allocated', ...(reservedFor.length > 0 ? ['reserved'] : [])] : deleted ? [] : ['pending'];
  return [...(deleted ? ['deleted'] : []), ...states].join(',');
}
