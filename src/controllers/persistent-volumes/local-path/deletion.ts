import { rm } from 'node:fs/promises';
import type { V1Node, V1PersistentVolume } from '../../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resource-refs.js';
import { StatusError } from '../../../api/status-error.js';
import { errorMessage, KubeError } from '../../../base/errors.js';
import type { Client, Lister } from '../../../client/index.js';
import type { EventRecorder } from '../../../reconcile/index.js';
import { PROVISIONED_BY } from '../annotations.js';
import { deletablePath, FINALIZER, NODE_ANNOTATION, PROVISIONER } from './names.js';

/** What {@link Deletion} needs. */
export interface DeletionContext {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly nodes: Lister<V1Node>;
  readonly folder: string;
  /** Nodes whose files are ours too. */
  readonly ownNodes: ReadonlySet<string>;
}

/** Deletes the folders of volumes whose claim is gone, and then the volumes. */
export class Deletion {
  constructor(private readonly context: DeletionContext) {}

  /** Whether the volume is one of ours on which something may have to be done. */
  isDue(volume: V1PersistentVolume): boolean {
    if (volume.metadata?.annotations?.[PROVISIONED_BY] !== PROVISIONER) return false;
    if (isReleased(volume) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') return true;
    return volume.metadata.deletionTimestamp !== undefined && hasFinalizer(volume) && volume.status?.phase !== 'Bound';
  }

  /** Folder first, then the object: whatever interrupts it, the next try finds what is left. Throws when it has to be tried again. */
  async delete(name: string): Promise<void> {
    const client = this.context.client.resource(PERSISTENT_VOLUMES);
    const volume = await orUndefined(client.get('', name));
    if (!volume || !this.isDue(volume) || (await this.isClaimed(volume))) return;
    // Somebody deletes the volume himself, and wants to keep the data.
    const keepData = volume.spec?.persistentVolumeReclaimPolicy !== 'Delete';
    if (!keepData && !(await this.deleteFolder(volume))) return;
    if (!volume.metadata?.deletionTimestamp) await orUndefined(client.delete('', name, { preconditions: { uid: volume.metadata?.uid ?? '' } }));
    const left = await orUndefined(client.get('', name));
    if (!left || left.metadata?.uid !== volume.metadata?.uid || !hasFinalizer(left)) return;
    await orUndefined(client.update({ ...left, metadata: { ...left.metadata, finalizers: (left.metadata?.finalizers ?? []).filter((one) => one !== FINALIZER) } }));
  }

  /** The phase tells what the binder saw last; before data goes the claim itself is looked for. */
  private async isClaimed({ metadata, spec }: V1PersistentVolume): Promise<boolean> {
    const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
    if (!uid) return false;
    const claim = await orUndefined(this.context.client.resource(PERSISTENT_VOLUME_CLAIMS).get(namespace, name));
    return claim?.metadata?.uid === uid && (!claim.spec?.volumeName || claim.spec.volumeName === metadata?.name);
  }

  /** False: another process has to do it. */
  private async deleteFolder(volume: V1PersistentVolume): Promise<boolean> {
    const { recorder, folder, ownNodes, nodes } = this.context;
    const node = volume.metadata?.annotations?.[NODE_ANNOTATION] ?? '';
    if (!ownNodes.has(node)) {
      // With the node its files are gone.
      if (!nodes.get('', node)) return true;
      recorder.event(volume, 'Normal', 'VolumeDelete', `the volume's folder is on node ${node}, and the volume goes when that node's process has deleted it`);
      return false;
    }
    const path = deletablePath(folder, volume);
    if (path === undefined) {
      recorder.event(volume, 'Warning', 'VolumeFailedDelete', `the path ${volume.spec?.hostPath?.path ?? ''} is none of the provisioner's below ${folder}; remove the data and the finalizer ${FINALIZER} by hand`);
      return false;
    }
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 2 });
    } catch (error) {
      recorder.event(volume, 'Warning', 'VolumeFailedDelete', errorMessage(error));
      throw new KubeError('KUBE_LOCAL_PATH', `deleting ${path}: ${errorMessage(error)}`, { cause: error });
    }
    return true;
  }
}

function isReleased(volume: V1PersistentVolume): boolean {
  return volume.status?.phase === 'Released' || volume.status?.phase === 'Failed';
}

function hasFinalizer(volume: V1PersistentVolume): boolean {
  return volume.metadata?.finalizers?.includes(FINALIZER) ?? false;
}

/** What a request gives, or undefined when the object is not there (any more). */
async function orUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (StatusError.is(error, 'NotFound')) return undefined;
    throw error;
  }
}
