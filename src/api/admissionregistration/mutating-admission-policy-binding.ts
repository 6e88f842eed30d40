import type { V1MutatingAdmissionPolicyBinding } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const mutatingAdmissionPolicyBinding = defineKind<V1MutatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicyBinding',
});
