import type { Draft } from '../draft.js';
import type { V1ServiceAccount } from '../generated/types.js';
import { AGE, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const ENFORCE_MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccount = defineKind<V1ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  tracksGeneration: false,
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
  validate: () => [],
  validateUpdate: () => [],
  warnings: (object, old) => {
    const has = (account: V1ServiceAccount | undefined): boolean => account?.metadata?.annotations?.[ENFORCE_MOUNTABLE_SECRETS] !== undefined;
    if (!has(object) || has(old)) return [];
    return [`metadata.annotations[${ENFORCE_MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`];
  },
  columns: [NAME, AGE],
});

/** Secrets are of the account's own namespace: only their names are kept. */
function cleanSecretReferences(draft: Draft<V1ServiceAccount>): void {
  if (draft.secrets === undefined) return;
  draft.secrets = draft.secrets.map(({ name }) => (name ? { name } : {}));
}
