import type { V1ServiceAccount } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const serviceAccount = defineKind<V1ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
});
