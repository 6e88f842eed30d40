import type { V1Service } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const service = defineKind<V1Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
});
