import type { V1Deployment } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const deployment = defineKind<V1Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
});
