import type { V1CustomResourceDefinition } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const customResourceDefinition = defineKind<V1CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
});
