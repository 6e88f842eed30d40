import type { V1CertificateSigningRequest, V1CertificateSigningRequestCondition } from '../generated/types.js';
import type { Draft } from '../draft.js';
import { humanDuration } from '../helpers/duration.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { validateRequestCreate, validateRequestUpdate } from './request-validation.js';
import { timestamp } from '../meta/timestamp.js';

type Request = V1CertificateSigningRequest;
type Condition = V1CertificateSigningRequestCondition;

export const certificateSigningRequest = defineKind<Request>({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  tracksGeneration: false,
  validateName: nameIsPathSegment,
  defaults: (draft) => {
    draft.status ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'spec', 'status'),
  validate: validateRequestCreate,
  validateUpdate: (object, old) => validateRequestUpdate(object, old, 'none'),
  subresources: {
    status: {
      prepareForUpdate: (draft, old, context) => {
        restore(draft, old, 'spec');
        keepConditions(draft, old, 'Approved');
        keepConditions(draft, old, 'Denied');
        stampConditions(draft, old, context.now);
      },
      validateUpdate: (object, old) => validateRequestUpdate(object, old, 'status'),
    },
    approval: {
      prepareForUpdate: (draft, old, context) => {
        stampConditions(draft, old, context.now);
        const conditions = draft.status?.conditions;
        restore(draft, old, 'spec', 'status');
        draft.status = { ...draft.status, ...(conditions === undefined ? {} : { conditions }) };
        if (conditions === undefined) delete draft.status.conditions;
      },
      validateUpdate: (object, old) => validateRequestUpdate(object, old, 'approval'),
    },
  },
  selectableFields: { 'spec.signerName': (object) => object.spec?.signerName ?? '' },
  columns: [
    NAME,
    AGE,
    text('SignerName', (object) => object.spec?.signerName || '<none>'),
    text('Requestor', (object) => object.spec?.username ?? ''),
    text('RequestedDuration', (object) => (object.spec?.expirationSeconds === undefined ? '<none>' : humanDuration(object.spec.expirationSeconds * 1000))),
    text('Condition', stateText),
  ],
});

/** Approval conditions may not change by way of `status`: the stored ones are put back where their number is the same. */
function keepConditions(draft: Draft<Request>, old: Request, type: string): void {
  const conditions = draft.status?.conditions ?? [];
  const before = (old.status?.conditions ?? []).filter((condition) => condition.type === type);
  const places = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []));
  if (places.length !== before.length) return;
  places.forEach((place, i) => {
    conditions[place] = { ...before[i]! };
  });
}

/** Fills in the times of conditions; a condition that keeps its status keeps the time of its transition. */
function stampConditions(draft: Draft<Request>, old: Request, now: number): void {
  const time = timestamp(now);
  for (const condition of draft.status?.conditions ?? []) {
    condition.lastUpdateTime ||= time;
    if (condition.lastTransitionTime) continue;
    const same = (other: Condition): boolean => other.type === condition.type && other.status === condition.status && !!other.lastTransitionTime;
    condition.lastTransitionTime = (old.status?.conditions ?? []).find(same)?.lastTransitionTime ?? time;
  }
}

function stateText(object: Request): string {
  const has = (type: string): boolean => (object.status?.conditions ?? []).some((condition) => condition.type === type);
  const state = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${state}${has('Failed') ? ',Failed' : ''}${object.status?.certificate ? ',Issued' : ''}`;
}
