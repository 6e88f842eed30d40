import type { V1StorageClass } from '../../../api/generated/types.js';
import { STORAGE_CLASSES } from '../../../api/resource-refs.js';
import { StatusError } from '../../../api/status-error.js';
import type { Client } from '../../../client/index.js';
import { isDefaultClass } from '../facts.js';
import { PROVISIONER } from './names.js';

const NAME = 'local-path';

/**
 * Makes the storage class `local-path` where it is missing: the default one, unless another is. One that is there is left as it is, so that
 * people can change what may be changed. Rejects when the API cannot be reached.
 */
export async function ensureDefaultStorageClass(client: Client): Promise<void> {
  const classes = client.resource(STORAGE_CLASSES);
  const { items } = await classes.list('');
  if (items.some((one) => one.metadata?.name === NAME)) return;
  const wanted: V1StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: NAME, annotations: items.some(isDefaultClass) ? {} : { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: false,
  };
  try {
    await classes.create(wanted);
  } catch (error) {
    if (!StatusError.is(error, 'AlreadyExists')) throw error;
  }
}
