import { chmod } from 'node:fs/promises';
import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1StorageClass } from '../../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resource-refs.js';
import { StatusError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import { makeFolder } from '../../../base/files.js';
import type { Client, Lister } from '../../../client/index.js';
import type { EventRecorder } from '../../../reconcile/index.js';
import { PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../annotations.js';
import { className } from '../facts.js';
import { claimReference } from '../writer.js';
import { FINALIZER, NODE_ANNOTATION, PROVISIONER, volumeName, volumePath } from './names.js';

const HOSTNAME = 'kubernetes.io/hostname';

/** What {@link Provisioning} needs. */
export interface ProvisioningContext {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly volumes: Lister<V1PersistentVolume>;
  readonly classes: Lister<V1StorageClass>;
  readonly nodes: Lister<V1Node>;
  readonly folder: string;
  /** Nodes whose files are ours too. */
  readonly ownNodes: ReadonlySet<string>;
}

/** What cannot be provisioned until somebody changes something. */
class Refusal extends Error {}

/** Makes volumes for claims. */
export class Provisioning {
  constructor(private readonly context: ProvisioningContext) {}

  /** Whether the claim waits for us. */
  isDue(claim: V1PersistentVolumeClaim): boolean {
    const annotations = claim.metadata?.annotations ?? {};
    return !claim.spec?.volumeName && annotations[STORAGE_PROVISIONER] === PROVISIONER && !claim.metadata?.deletionTimestamp;
  }

  /** Makes the volume of a claim for which {@link isDue} is true. Throws when it has to be tried again. */
  async provision(claim: V1PersistentVolumeClaim): Promise<void> {
    const { client, recorder, volumes, classes } = this.context;
    const storageClass = classes.get('', className(claim));
    const name = volumeName(claim);
    if (storageClass?.provisioner !== PROVISIONER || volumes.get('', name)) return;
    const selected = claim.metadata?.annotations?.[SELECTED_NODE];
    if (!selected && storageClass.volumeBindingMode === 'WaitForFirstConsumer') return;
    recorder.event(claim, 'Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${claim.metadata?.namespace}/${claim.metadata?.name}"`);
    try {
      refuse(claim, storageClass);
      const node = this.nodeFor(selected);
      if (!node) return await this.reschedule(claim, storageClass, selected ?? '');
      const volume = this.volumeFor(claim, storageClass, node);
      if (this.context.ownNodes.has(node.metadata?.name ?? '')) await this.makeVolumeFolder(volume.spec!.hostPath!.path);
      await client.resource(PERSISTENT_VOLUMES).create(volume);
    } catch (error) {
      if (StatusError.is(error, 'AlreadyExists')) return;
      recorder.event(claim, 'Warning', 'ProvisioningFailed', `failed to provision volume with StorageClass "${storageClass.metadata?.name}": ${errorMessage(error)}`);
      if (error instanceof Refusal) return;
      throw error;
    }
    recorder.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
  }

  /** Any user of the pod may write, as on every file system that a volume brings; the folder above lets nobody else in. */
  private async makeVolumeFolder(path: string): Promise<void> {
    await makeFolder(path);
    await chmod(path, 0o777);
  }

  private nodeFor(selected: string | undefined): V1Node | undefined {
    if (selected) return this.context.nodes.get('', selected);
    const [only, ...more] = this.context.nodes.list();
    if (!only || more.length > 0) throw new Refusal('no node was selected; use a storage class with volumeBindingMode WaitForFirstConsumer');
    return only;
  }

  /** The node is gone: the scheduler chooses another. */
  private async reschedule(claim: V1PersistentVolumeClaim, storageClass: V1StorageClass, node: string): Promise<void> {
    const { [SELECTED_NODE]: _gone, ...annotations } = claim.metadata?.annotations ?? {};
    await this.context.client.resource(PERSISTENT_VOLUME_CLAIMS).update({ ...claim, metadata: { ...claim.metadata, annotations } });
    this.context.recorder.event(claim, 'Warning', 'ProvisioningFailed', `failed to provision volume with StorageClass "${storageClass.metadata?.name}": failed to get target node: node "${node}" not found`);
  }

  private volumeFor(claim: V1PersistentVolumeClaim, storageClass: V1StorageClass, node: V1Node): V1PersistentVolume {
    const nodeName = node.metadata?.name ?? '';
    const storage = claim.spec?.resources?.requests?.['storage'] ?? '0';
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName(claim), annotations: { [PROVISIONED_BY]: PROVISIONER, [NODE_ANNOTATION]: nodeName }, finalizers: [FINALIZER] },
      spec: {
        accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
        capacity: { storage },
        claimRef: claimReference(claim),
        // On a node that is not ours its agent makes the folder when it is mounted.
        hostPath: { path: volumePath(this.context.folder, claim), type: 'DirectoryOrCreate' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [node.metadata?.labels?.[HOSTNAME] ?? nodeName] }] }] } },
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: className(claim),
        volumeMode: 'Filesystem',
      },
    };
  }
}

function refuse({ spec }: V1PersistentVolumeClaim, { mountOptions }: V1StorageClass): void {
  if (spec?.volumeMode === 'Block') throw new Refusal('spec.volumeMode: Block is not supported, a volume is a folder');
  if (spec?.selector) throw new Refusal('claim Selector is not supported');
  if (spec?.dataSource || spec?.dataSourceRef) throw new Refusal('spec.dataSource is not supported');
  if (mountOptions && mountOptions.length > 0) throw new Refusal('mountOptions of the storage class are not supported');
}
