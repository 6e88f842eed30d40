import type { V1Ingress } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const ingress = defineKind<V1Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
});
