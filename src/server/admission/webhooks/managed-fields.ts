import type { Draft } from '../../../api/draft.js';
import { readSentManaged } from '../../../api/apply/managed-set.js';
import type { V1ManagedFieldsEntry } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { sameValueSteps } from '../../../api/apply/same-value-steps.js';
import type { Steps } from '../../../base/steps.js';

type Entries = readonly V1ManagedFieldsEntry[] | undefined;

/** What a webhook made of managed fields counts when it can be read; otherwise they are as they were before, with a warning. */
export function* settleManagedFields(object: Draft<KubeObject>, before: Entries, warn: (text: string) => void): Steps<void> {
  const { metadata } = object;
  if (!metadata) return;
  const after = metadata.managedFields as Entries;
  if (after === before) return;
  const wrong = (yield* sameValueSteps(after, before)) ? '' : yield* complaint(after);
  if (wrong === undefined) return;
  if (before) metadata.managedFields = before as Draft<V1ManagedFieldsEntry>[];
  else delete metadata.managedFields;
  if (wrong !== '') warn(`.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${wrong}`);
}

function* complaint(entries: Entries): Steps<string | undefined> {
  if ((yield* readSentManaged(entries ?? [])) !== undefined) return undefined;
  for (const [i, { operation, apiVersion, fieldsType }] of (entries ?? []).entries()) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
    if (!apiVersion) return 'apiVersion must not be empty';
    if (!fieldsType) return `missing fieldsType in managed fields entry ${i}`;
    if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`;
  }
  return 'error decoding set';
}
