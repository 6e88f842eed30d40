import type { CopyTarget } from '../copy/copy-store.js';
import type { ExpiryReader, SharedCompaction, Store } from '../store.js';
import type { EtcdOptions } from './options.js';

/** Opens a store in etcd; its client is loaded only now. Throws as `EtcdStore.open` does. */
export async function openEtcdStore(options: EtcdOptions): Promise<Store & SharedCompaction & ExpiryReader> {
  const { EtcdStore } = await import('./etcd-store.js');
  return EtcdStore.open(options);
}

/** A prefix as the target of a copy. Throws as `etcdCopyTarget` does. */
export async function openEtcdCopyTarget(options: EtcdOptions, overwrite: boolean, from: string): Promise<CopyTarget> {
  const { etcdCopyTarget } = await import('./copy-target.js');
  return etcdCopyTarget(options, overwrite, from);
}
