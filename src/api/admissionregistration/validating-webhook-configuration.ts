import type { V1ValidatingWebhookConfiguration } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const validatingWebhookConfiguration = defineKind<V1ValidatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
});
