import type { Draft } from '../draft.js';
import type { V1CustomResourceDefinition } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { drain } from './schema-validation.js';
import { formatWarnings } from './format-warnings.js';
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from './definition-validation.js';

export const customResourceDefinition = defineKind<V1CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  allowUnconditionalUpdate: false,
  defaults,
  prepareForCreate: (draft) => {
    draft.status = { acceptedNames: { plural: '', kind: '' } };
    addStoredVersion(draft);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    addStoredVersion(draft);
  },
  validate: (object) => drain(validateDefinition(object)),
  validateUpdate: (object, old) => drain(validateDefinitionUpdate(object, old)),
  warnings: formatWarnings,
  validateInSteps: (object, old) => (old === undefined ? validateDefinition(object) : validateDefinitionUpdate(object, old)),
  subresources: {
    status: {
      // Upstream means to put metadata back too, but takes it from the new object.
      prepareForUpdate: (draft, old) => restore(draft, old, 'spec'),
      validateUpdate: validateDefinitionStatus,
    },
  },
});

function defaults(draft: Draft<V1CustomResourceDefinition>): void {
  const { spec } = draft;
  if (spec === undefined) return;
  const { names } = spec;
  if (names !== undefined) {
    if (names.kind) names.listKind ||= `${names.kind}List`;
    names.singular ||= (names.kind ?? '').toLowerCase();
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
  if ((draft.status?.storedVersions?.length ?? 0) === 0) addStoredVersion(draft);
}

/** Records that objects may be stored in the present storage version. */
function addStoredVersion(draft: Draft<V1CustomResourceDefinition>): void {
  const storage = (draft.spec?.versions ?? []).find((version) => version.storage)?.name;
  const stored = draft.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return;
  draft.status = { ...draft.status, storedVersions: [...stored, storage] };
}
