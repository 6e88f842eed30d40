import type { V1MutatingWebhookConfiguration } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const mutatingWebhookConfiguration = defineKind<V1MutatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
});
