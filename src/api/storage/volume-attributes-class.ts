import type { V1VolumeAttributesClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const volumeAttributesClass = defineKind<V1VolumeAttributesClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
});
