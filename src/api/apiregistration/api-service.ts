import type { V1APIService } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const apiService = defineKind<V1APIService>({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
});
