import type { V1MutatingWebhookConfiguration } from '../generated/types.js';
import { AGE, integer, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { defaultWebhook, reservedNameWarnings, validateWebhooks } from './webhooks.js';

export const mutatingWebhookConfiguration = defineKind<V1MutatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  tracksGeneration: true,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    for (const webhook of draft.webhooks ?? []) {
      defaultWebhook(webhook);
      webhook.reinvocationPolicy ??= 'Never';
    }
  },
  validate: (object) => validateWebhooks(object.webhooks, undefined),
  validateUpdate: (object, old) => validateWebhooks(object.webhooks, old.webhooks ?? []),
  warnings: reservedNameWarnings,
  columns: [NAME, integer('Webhooks', (object) => object.webhooks?.length ?? 0), AGE],
});
