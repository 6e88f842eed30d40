import type { V1ValidatingAdmissionPolicyBinding } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const validatingAdmissionPolicyBinding = defineKind<V1ValidatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
});
