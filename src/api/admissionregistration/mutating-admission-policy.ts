import type { V1MutatingAdmissionPolicy } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const mutatingAdmissionPolicy = defineKind<V1MutatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
});
