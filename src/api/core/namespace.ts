import type { Draft } from '../draft.js';
import type { V1Namespace } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { FOREGROUND_DELETION, ORPHAN_DEPENDENTS, validateFinalizerName } from '../meta/validation/finalizers.js';
import { nameIsDnsLabel } from '../meta/validation/names.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';

/** Finalizer in `spec` that the namespace controller removes when everything in the namespace is gone. */
export const KUBERNETES_FINALIZER = 'kubernetes';
/** Label that holds the namespace's own name, for selectors. */
export const NAME_LABEL = 'kubernetes.io/metadata.name';

const FINALIZERS = FieldPath.of('spec', 'finalizers');
const STANDARD_FINALIZERS = [KUBERNETES_FINALIZER, ORPHAN_DEPENDENTS, FOREGROUND_DELETION];

export const namespace = defineKind<V1Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  tracksGeneration: false,
  validateName: nameIsDnsLabel,
  defaults: (draft) => {
    draft.spec ??= {};
    draft.status ??= {};
    draft.status.phase ||= 'Active';
    setNameLabel(draft);
  },
  prepareForCreate: (draft) => {
    draft.status = { phase: 'Active' };
    const spec = (draft.spec ??= {});
    const finalizers = spec.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES_FINALIZER)) spec.finalizers = [...finalizers, KUBERNETES_FINALIZER];
    setNameLabel(draft);
  },
  prepareForUpdate: (draft, old) => {
    draft.spec = { ...draft.spec };
    restore(draft.spec, old.spec ?? {}, 'finalizers');
    restore(draft, old, 'status');
    setNameLabel(draft);
  },
  validate,
  validateUpdate: validate,
  subresources: {
    status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatusUpdate },
    finalize: {
      prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
      validateUpdate: (object) => (object.spec?.finalizers ?? []).flatMap((name, i) => validateSpecFinalizer(name, FINALIZERS.index(i))),
    },
  },
  selectableFields: {
    'status.phase': (object) => object.status?.phase ?? '',
    name: (object) => object.metadata?.name ?? '',
  },
  columns: [NAME, text('Status', (object) => object.status?.phase ?? ''), AGE],
});

function setNameLabel(draft: Draft<V1Namespace>): void {
  const { metadata } = draft;
  if (!metadata?.name || metadata.labels?.[NAME_LABEL] === metadata.name) return;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}

function validate(object: V1Namespace): FieldError[] {
  return (object.spec?.finalizers ?? []).flatMap((name) => validateSpecFinalizer(name, FINALIZERS));
}

function validateSpecFinalizer(name: string, path: FieldPath): FieldError[] {
  const errors = validateFinalizerName(name, path);
  if (!name.includes('/') && !STANDARD_FINALIZERS.includes(name)) {
    errors.push(invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}

function validateStatusUpdate(object: V1Namespace): FieldError[] {
  const phase = object.status?.phase ?? '';
  const path = FieldPath.of('status', 'Phase');
  if (object.metadata?.deletionTimestamp) {
    return phase === 'Terminating' ? [] : [invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  }
  return phase === 'Active' ? [] : [invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
}
