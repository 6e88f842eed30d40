import type { V1ResourceSlice } from '../generated/types.js';
import type { Draft } from '../draft.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateSliceSpec } from './slice-spec.js';
import { timestamp } from '../meta/timestamp.js';

export const resourceSlice = defineKind<V1ResourceSlice>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  prepareForCreate: (draft, context) => prepare(draft, context.now),
  prepareForUpdate: (draft, _old, context) => prepare(draft, context.now),
  validate: (object) => validateSliceSpec(object.spec, undefined),
  validateUpdate: (object, old) => validateSliceSpec(object.spec, old.spec),
  warnings: (object) => {
    const driver = object.spec?.driver ?? '';
    return driver === driver.toLowerCase() ? [] : [`spec.driver: driver names should be lowercase; "${driver}" contains uppercase characters`];
  },
  selectableFields: {
    'spec.nodeName': (object) => object.spec?.nodeName ?? '',
    'spec.driver': (object) => object.spec?.driver ?? '',
  },
  columns: [
    NAME,
    text('Node', (object) => object.spec?.nodeName ?? ''),
    text('Driver', (object) => object.spec?.driver ?? ''),
    text('Pool', (object) => object.spec?.pool?.name ?? ''),
    AGE,
  ],
});

/** A taint without a time was added now. Fields behind gates that are off are dropped. */
function prepare(draft: Draft<V1ResourceSlice>, now: number): void {
  for (const device of draft.spec?.devices ?? []) {
    for (const taint of device.taints ?? []) taint.timeAdded ??= timestamp(now);
    for (const attribute of Object.values(device.attributes ?? {})) for (const list of ['bools', 'ints', 'strings', 'versions'] as const) delete attribute[list];
    delete device.nodeAllocatableResourceMappings;
  }
}
