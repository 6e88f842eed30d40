import type { V1VolumeAttachment } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const volumeAttachment = defineKind<V1VolumeAttachment>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
});
