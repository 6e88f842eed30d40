import type { V1Job } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const job = defineKind<V1Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
});
