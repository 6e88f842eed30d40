import type { V1IngressClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const ingressClass = defineKind<V1IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
});
