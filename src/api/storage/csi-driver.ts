import type { StorageV1TokenRequest, V1CSIDriver, V1CSIDriverSpec } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { AGE, flag, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const SPEC = FieldPath.of('spec');
const MODES = ['Persistent', 'Ephemeral'];
const TOKEN_WARNING = 'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDriver = defineKind<V1CSIDriver>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  // Counted below: a new object has none yet.
  tracksGeneration: false,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if ((spec.volumeLifecycleModes?.length ?? 0) === 0) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  prepareForCreate: (draft) => {
    // Behind a gate that is off.
    delete draft.spec?.preventPodSchedulingIfMissing;
  },
  prepareForUpdate: (draft, old) => {
    if (old.spec?.preventPodSchedulingIfMissing === undefined) delete draft.spec?.preventPodSchedulingIfMissing;
    if (!deepEqual(draft.spec, old.spec) && draft.metadata !== undefined) draft.metadata.generation = (old.metadata?.generation ?? 0) + 1;
  },
  validate: (object) => validateSpec(object.spec ?? {}),
  validateUpdate: (object, old) => [
    ...validateSpec(object.spec ?? {}),
    ...validateImmutable(object.spec?.attachRequired, old.spec?.attachRequired, SPEC.child('attachedRequired')),
    ...validateImmutable(object.spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes, SPEC.child('volumeLifecycleModes')),
  ],
  warnings: (object, old) => {
    const requests = object.spec?.tokenRequests ?? [];
    if (requests.length === 0 || object.spec?.serviceAccountTokenInSecrets !== undefined) return [];
    return old !== undefined && deepEqual(requests, old.spec?.tokenRequests) ? [] : [TOKEN_WARNING];
  },
  columns: [
    NAME,
    flag('AttachRequired', (object) => object.spec?.attachRequired ?? true),
    flag('PodInfoOnMount', (object) => object.spec?.podInfoOnMount ?? false),
    flag('StorageCapacity', (object) => object.spec?.storageCapacity ?? false),
    text('TokenRequests', (object) => object.spec?.tokenRequests?.map(({ audience }) => audience ?? '').join(',') ?? '<unset>'),
    flag('RequiresRepublish', (object) => object.spec?.requiresRepublish ?? false),
    text('Modes', (object) => (object.spec?.volumeLifecycleModes ?? []).join(',') || '<none>'),
    AGE,
  ],
});

function validateSpec(spec: V1CSIDriverSpec): FieldError[] {
  const errors: FieldError[] = [];
  // The misspelt name is upstream's.
  if (spec.attachRequired === undefined) errors.push(required(SPEC.child('attachedRequired')));
  if (spec.podInfoOnMount === undefined) errors.push(required(SPEC.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(SPEC.child('storageCapacity')));
  if (spec.fsGroupPolicy !== undefined) errors.push(...validateEnum(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], SPEC.child('fsGroupPolicy')));
  errors.push(...validateTokenRequests(spec.tokenRequests ?? []));
  for (const mode of spec.volumeLifecycleModes ?? []) if (!MODES.includes(mode)) errors.push(notSupportedInOrder(SPEC.child('volumeLifecycleModes'), mode, MODES));
  if (spec.seLinuxMount === undefined) errors.push(required(SPEC.child('seLinuxMount')));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10) errors.push(invalid(SPEC.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds'));
  if (spec.serviceAccountTokenInSecrets !== undefined && (spec.tokenRequests?.length ?? 0) === 0) {
    errors.push(invalid(SPEC.child('serviceAccountTokenInSecrets'), spec.serviceAccountTokenInSecrets, 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'));
  }
  return errors;
}

function validateTokenRequests(requests: readonly StorageV1TokenRequest[]): FieldError[] {
  const seen = new Set<string>();
  return requests.flatMap(({ audience = '', expirationSeconds }, i) => {
    const path = SPEC.child('tokenRequests').index(i);
    if (seen.has(audience)) return [duplicate(path.child('audience'), audience)];
    seen.add(audience);
    if (expirationSeconds === undefined) return [];
    const at = path.child('expirationSeconds');
    if (expirationSeconds < 600) return [invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes')];
    return expirationSeconds > 2 ** 32 ? [invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')] : [];
  });
}
