import { mkdir, readdir, realpath } from 'node:fs/promises';
import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '../../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resource-refs.js';
import { errorMessage } from '../../../base/errors.js';
import { allContainers } from '../../pods/container-kind.js';
import { isSameFile } from '../host/mounter.js';
import { ownVolume } from '../host/ownership.js';
import { setUpFailed } from '../volume-error.js';
import { prepareHostPath, statIfPresent } from './host-path.js';
import { prepareNfs } from './nfs.js';
import type { PreparedVolume } from './prepared.js';
import type { SourceContext } from './source-context.js';

const PROTECTION = 'kubernetes.io/pvc-protection';
const GID = 'pv.beta.kubernetes.io/gid';

/** A claim is not there or not bound yet: upstream says so in an event about all of the pod's volumes. */
export class ClaimError extends Error {}

/** A failure whose event has a beginning of its own. */
export class EventError extends Error {}

/** The persistent volume behind a claim. Throws a {@link ClaimError} while there is none. */
export async function prepareClaim(context: SourceContext, claimName: string, readonly: boolean): Promise<PreparedVolume> {
  const namespace = context.pod.metadata?.namespace ?? '';
  let volume: V1PersistentVolume;
  try {
    const claim = await boundClaim(context, namespace, claimName);
    volume = await claimedVolume(context, claim);
  } catch (error) {
    throw new ClaimError(`error processing PVC ${namespace}/${claimName}: ${errorMessage(error)}`);
  }
  checkMode(context, volume.spec?.volumeMode ?? 'Filesystem');
  const name = volume.metadata?.name ?? '';
  try {
    const prepared = await prepareVolume(context, volume, readonly);
    const gid = volume.metadata?.annotations?.[GID];
    return gid !== undefined && /^\d+$/.test(gid) ? { ...prepared, supplementalGroup: Number(gid) } : prepared;
  } catch (error) {
    throw error instanceof EventError ? error : new EventError(setUpFailed(name, errorMessage(error)));
  }
}

/** A claim made for the pod by its template. */
export async function prepareEphemeral(context: SourceContext): Promise<PreparedVolume> {
  const { pod, volume } = context;
  const claimName = `${pod.metadata?.name}-${volume.name}`;
  return prepareClaim(context, claimName, false);
}

async function boundClaim({ client, pod, volume }: SourceContext, namespace: string, name: string): Promise<V1PersistentVolumeClaim> {
  let claim: V1PersistentVolumeClaim;
  try {
    claim = await client.resource(PERSISTENT_VOLUME_CLAIMS).get(namespace, name);
  } catch (error) {
    throw new Error(`failed to fetch PVC from API server: ${errorMessage(error)}`, { cause: error });
  }
  const { metadata, spec, status } = claim;
  if (volume.ephemeral && !isOwner(pod, claim)) throw new Error(`PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata?.name} (pod is not owner)`);
  if (metadata?.deletionTimestamp && !metadata.finalizers?.includes(PROTECTION)) throw new Error('PVC is being deleted');
  if (status?.phase !== 'Bound') throw new Error('PVC is not bound');
  if (!spec?.volumeName) throw new Error('PVC has empty pvc.Spec.VolumeName');
  return claim;
}

function isOwner(pod: V1Pod, claim: V1PersistentVolumeClaim): boolean {
  return claim.metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === pod.metadata?.uid) ?? false;
}

async function claimedVolume({ client }: SourceContext, claim: V1PersistentVolumeClaim): Promise<V1PersistentVolume> {
  const name = claim.spec?.volumeName ?? '';
  let volume: V1PersistentVolume;
  try {
    volume = await client.resource(PERSISTENT_VOLUMES).get('', name);
  } catch (error) {
    throw new Error(`failed to fetch PV ${name} from API server: ${errorMessage(error)}`, { cause: error });
  }
  const { claimRef } = volume.spec ?? {};
  if (!claimRef) throw new Error(`found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
  if (claimRef.uid !== claim.metadata?.uid) throw new Error(`found PV object ${name} but its pv.Spec.ClaimRef.UID ${claimRef.uid ?? ''} does not point to claim.UID ${claim.metadata?.uid ?? ''}`);
  return volume;
}

function checkMode({ pod, volume: { name } }: SourceContext, mode: string): void {
  for (const container of allContainers(pod)) {
    if (mode !== 'Filesystem' && container.volumeMounts?.some((mount) => mount.name === name)) throw new ClaimError(`volume ${name} has volumeMode ${mode}, but is specified in volumeMounts`);
    if (mode !== 'Block' && container.volumeDevices?.some((device) => device.name === name)) throw new ClaimError(`volume ${name} has volumeMode ${mode}, but is specified in volumeDevices`);
  }
}

async function prepareVolume(context: SourceContext, volume: V1PersistentVolume, readonly: boolean): Promise<PreparedVolume> {
  const { spec = {} } = volume;
  const name = volume.metadata?.name ?? '';
  const block = spec.volumeMode === 'Block';
  if (spec.local) return block ? blockDevice(spec.local.path, name, readonly) : prepareLocal(context, volume, spec.local.path, readonly);
  if (block) throw new EventError(`MapVolume.SetUpDevice failed for volume "${name}" : only local persistent volumes can be block devices`);
  if (spec.hostPath) return prepareHostPath(spec.hostPath, readonly);
  if (spec.nfs) return prepareNfs(context, name, spec.nfs, readonly, spec.mountOptions ?? []);
  throw new Error(`persistent volumes of type ${sourceName(spec)} are not supported`);
}

async function blockDevice(path: string, name: string, readonly: boolean): Promise<PreparedVolume> {
  const info = await statIfPresent(path);
  if (!info?.isBlockDevice()) throw new EventError(`MapVolume.SetUpDevice failed for volume "${name}" : ${info ? `${path} is not a block device` : `path "${path}" does not exist`}`);
  return { hostPath: '', device: path, readonly };
}

/** A folder of this node, bound into the pod's own; the first pod that uses it gives it its group. */
async function prepareLocal(context: SourceContext, volume: V1PersistentVolume, path: string, readonly: boolean): Promise<PreparedVolume> {
  const { paths, uid, pod, fsGroup, commands } = context;
  const name = volume.metadata?.name ?? '';
  if (path === '') throw new Error(`LocalVolume volume "${name}" path is empty`);
  if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
  const info = await statIfPresent(path);
  const initialization = (why: string): EventError => new EventError(`MountVolume.NewMounter initialization failed for volume "${name}" : ${why}`);
  if (!info) throw initialization(`path "${path}" does not exist`);
  if (info.isBlockDevice()) throw initialization('file systems on block devices are not supported; mount it and name the folder');
  if (!info.isDirectory()) throw initialization('only directory and block device are supported');
  const folder = paths.volume(uid, 'local-volume', name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (await isSameFile(path, folder)) return { hostPath: folder, readonly };
  // Before the mount: whoever finds it mounted, after a crash too, knows that this was done.
  if (fsGroup !== undefined && !readonly && !(await usedByOthers(context, name, path))) {
    await ownVolume(commands, await realpath(path), fsGroup, pod.spec?.securityContext?.fsGroupChangePolicy === 'OnRootMismatch');
  }
  return { hostPath: folder, readonly, mount: { type: 'bind', source: path, target: folder, options: [...(readonly ? ['ro'] : []), ...(volume.spec?.mountOptions ?? [])] } };
}

/** Whether another pod of this node has it, be it one that an earlier process started. */
async function usedByOthers({ paths, uid }: SourceContext, name: string, path: string): Promise<boolean> {
  for (const other of await readdir(paths.root)) if (other !== uid && (await isSameFile(path, paths.volume(other, 'local-volume', name)))) return true;
  return false;
}

const PLAIN_FIELDS: ReadonlySet<string> = new Set(['accessModes', 'capacity', 'claimRef', 'mountOptions', 'nodeAffinity', 'persistentVolumeReclaimPolicy', 'storageClassName', 'volumeAttributesClassName', 'volumeMode']);

function sourceName(spec: object): string {
  return Object.keys(spec).find((key) => !PLAIN_FIELDS.has(key)) ?? 'unknown';
}
