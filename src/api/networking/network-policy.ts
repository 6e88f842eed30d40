import type { V1NetworkPolicy } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const networkPolicy = defineKind<V1NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
});
