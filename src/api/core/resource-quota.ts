import type { V1ResourceQuota } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const resourceQuota = defineKind<V1ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
});
