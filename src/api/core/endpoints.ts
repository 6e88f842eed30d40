import type { V1Endpoints } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const endpoints = defineKind<V1Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
});
