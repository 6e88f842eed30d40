import type { ExpiryReader, SharedCompaction, Store } from '../store.js';
import type { EtcdOptions } from './options.js';

/** Opens a store in etcd; its client is loaded only now. Throws as `EtcdStore.open` does. */
export async function openEtcdStore(options: EtcdOptions): Promise<Store & SharedCompaction & ExpiryReader> {
  const { EtcdStore } = await import('./etcd-store.js');
  return EtcdStore.open(options);
}
