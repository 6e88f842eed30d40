import type { V1IPAddress } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const ipAddress = defineKind<V1IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
});
