import type { V1ServiceCIDR } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const serviceCidr = defineKind<V1ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
});
