import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import type { Client, Lister } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import type { WriteThrough } from './write-through.js';
import type { BindingWriter } from './writer.js';

/** Index of volumes by storage class. */
export const BY_CLASS = 'persistent-volumes/class';
/** Index of volumes by the claim that they name. */
export const BY_CLAIM = 'persistent-volumes/claim';
/** Index of pods by the claims that they use. */
export const PODS_BY_CLAIM = 'persistent-volumes/pods';

/** What the two halves of the binder share. */
export interface BinderContext {
  readonly client: Client;
  readonly volumes: WriteThrough<V1PersistentVolume>;
  readonly claims: WriteThrough<V1PersistentVolumeClaim>;
  readonly classes: Lister<V1StorageClass>;
  readonly pods: Lister<V1Pod>;
  readonly writer: BindingWriter;
  readonly recorder: EventRecorder;
  /** Has another look at a claim soon. */
  readonly enqueueClaim: (key: string) => void;
}
