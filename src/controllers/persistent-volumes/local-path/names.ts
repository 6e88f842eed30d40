import { basename, dirname, join, normalize } from 'node:path';
import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../../api/generated/types.js';

/** Name of the provisioner, in storage classes and on claims and volumes. */
export const PROVISIONER = 'kube.io/local-path';
/** Keeps a volume until its folder is gone. */
export const FINALIZER = 'kube.io/local-path';
/** On a volume: name of the node on which its folder is. */
export const NODE_ANNOTATION = 'kube.io/local-path-node';

/** Longest name of a file that Linux has, in bytes. */
const LONGEST_NAME = 255;

/** Name of the volume that is made for a claim. */
export function volumeName(claim: V1PersistentVolumeClaim): string {
  return `pvc-${claim.metadata?.uid ?? ''}`;
}

/** `<folder>/<volume>_<namespace>_<claim>`; a long name is cut, it stays unique by the volume's. */
export function volumePath(folder: string, claim: V1PersistentVolumeClaim): string {
  const { namespace = '', name = '' } = claim.metadata ?? {};
  return join(folder, `${volumeName(claim)}_${namespace}_${name}`.slice(0, LONGEST_NAME));
}

/**
 * The folder to delete with a volume: its path, when that is one which the provisioner gives. A volume is an object that people may write; nothing
 * else than direct children of `folder` that are named after the volume is ever deleted.
 */
export function deletablePath(folder: string, volume: V1PersistentVolume): string | undefined {
  const path = volume.spec?.hostPath?.path ?? volume.spec?.local?.path ?? '';
  const name = volume.metadata?.name ?? '';
  if (name === '' || normalize(path) !== path || dirname(path) !== normalize(folder).replace(/(.)\/$/, '$1')) return undefined;
  return basename(path).startsWith(`${name}_`) ? path : undefined;
}
