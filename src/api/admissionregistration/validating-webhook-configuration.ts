import type { V1ValidatingWebhookConfiguration } from '../generated/types.js';
import { AGE, integer, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { defaultWebhook, reservedNameWarnings, validateWebhooks } from './webhooks.js';

export const validatingWebhookConfiguration = defineKind<V1ValidatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  tracksGeneration: true,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    for (const webhook of draft.webhooks ?? []) defaultWebhook(webhook);
  },
  validate: (object) => validateWebhooks(object.webhooks, undefined),
  validateUpdate: (object, old) => validateWebhooks(object.webhooks, old.webhooks ?? []),
  warnings: reservedNameWarnings,
  columns: [NAME, integer('Webhooks', (object) => object.webhooks?.length ?? 0), AGE],
});
