import type { V1DeviceClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const deviceClass = defineKind<V1DeviceClass>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
});
