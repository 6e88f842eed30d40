import type { KindDefinition } from '../scheme/kind.js';
import { csiDriver } from './csi-driver.js';
import { csiNode } from './csi-node.js';
import { csiStorageCapacity } from './csi-storage-capacity.js';
import { storageClass } from './storage-class.js';
import { volumeAttachment } from './volume-attachment.js';
import { volumeAttributesClass } from './volume-attributes-class.js';

/** Every kind of the storage.k8s.io group. */
export const kinds = [
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
] as unknown as readonly KindDefinition[];
