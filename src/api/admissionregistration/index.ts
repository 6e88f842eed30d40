import type { KindDefinition } from '../scheme/kind.js';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.js';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding.js';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration.js';
import { validatingAdmissionPolicy } from './validating-admission-policy.js';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.js';
import { validatingWebhookConfiguration } from './validating-webhook-configuration.js';

/** Every kind of the admissionregistration.k8s.io group. */
export const kinds = [
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
] as unknown as readonly KindDefinition[];
