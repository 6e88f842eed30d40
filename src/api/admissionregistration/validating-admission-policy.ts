import type { V1ValidatingAdmissionPolicy } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const validatingAdmissionPolicy = defineKind<V1ValidatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
});
