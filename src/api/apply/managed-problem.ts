import type { Steps } from '../../base/steps.js';
import type { V1ManagedFieldsEntry } from '../generated/types.js';
import { parseTreeSteps } from './parse-tree.js';

/** What keeps managed fields from being read, in upstream's words; undefined: nothing. */
export function* managedFieldsProblem(entries: readonly V1ManagedFieldsEntry[] | undefined): Steps<string | undefined> {
  for (const [i, { operation, apiVersion, fieldsType, fieldsV1 }] of (entries ?? []).entries()) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
    if (!apiVersion) return 'apiVersion must not be empty';
    if (!fieldsType) return `missing fieldsType in managed fields entry ${i}`;
    if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`;
    if ((yield* parseTreeSteps(fieldsV1 ?? {})) === undefined) return `error decoding set of managed fields entry ${i}`;
  }
  return undefined;
}
