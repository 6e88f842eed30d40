import type { V1ComponentStatus } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const componentStatus = defineKind<V1ComponentStatus>({
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
});
