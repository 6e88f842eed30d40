import type { FlagName } from './flags.js';

/** Flags about an etcd as the store. */
export const ETCD_FLAGS: readonly FlagName[] = ['etcd-servers', 'etcd-config', 'etcd-prefix', 'etcd-migrate-from-prefix', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'];
