import type { V1ObjectMeta, V1Volume } from '../../generated/types.js';
import { duplicate, forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { validateHostPath } from '../validation/host-path.js';
import { quantityOf } from '../validation/quantities.js';
import { checkClaimTemplate } from './claim-template.js';
import { checkPullPolicy } from './pull-policy.js';
import { checkDownwardApi, checkProjected } from './projected-volume.js';
import { checkDescendingPath } from './paths.js';
import {
  checkAzureDisk, checkConfigMapSource, checkCsi, checkFc, checkFlexVolume, checkFlocker, checkIscsi, checkNfs, checkPartition,
  checkQuobyte, checkRequired, checkSecretSource, checkStorageOs,
} from './volume-sources.js';

/** What a rule of one source may look at. */
interface VolumeContext {
  readonly path: FieldPath;
  readonly isPod: boolean;
  readonly errors: FieldError[];
}

type SourceName = Exclude<keyof V1Volume, 'name'>;
type SourceRule = { readonly [K in SourceName]: (source: NonNullable<V1Volume[K]>, path: FieldPath, errors: FieldError[], isPod: boolean) => void };

/** In upstream's order, which decides what is told when there are two sources. */
const RULES: SourceRule = {
  emptyDir: (source, path, errors) => {
    if (quantityOf(source.sizeLimit).sign < 0) errors.push(forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  },
  hostPath: (source, path, errors) => void errors.push(...validateHostPath(source, path)),
  gitRepo: (source, path, errors) => {
    checkRequired(source.repository, path.child('repository'), errors);
    checkDescendingPath(source.directory ?? '', path.child('directory'), errors);
  },
  gcePersistentDisk: (source, path, errors) => {
    checkRequired(source.pdName, path.child('pdName'), errors);
    checkPartition(source.partition, path.child('partition'), errors);
  },
  awsElasticBlockStore: (source, path, errors) => {
    checkRequired(source.volumeID, path.child('volumeID'), errors);
    checkPartition(source.partition, path.child('partition'), errors);
  },
  secret: checkSecretSource,
  nfs: checkNfs,
  iscsi: checkIscsi,
  glusterfs: (source, path, errors) => {
    checkRequired(source.endpoints, path.child('endpoints'), errors);
    checkRequired(source.path, path.child('path'), errors);
  },
  flocker: checkFlocker,
  persistentVolumeClaim: (source, path, errors) => checkRequired(source.claimName, path.child('claimName'), errors),
  rbd: (source, path, errors) => {
    if (!source.monitors?.length) errors.push(required(path.child('monitors')));
    checkRequired(source.image, path.child('image'), errors);
  },
  cinder: (source, path, errors) => {
    checkRequired(source.volumeID, path.child('volumeID'), errors);
    if (source.secretRef) checkRequired(source.secretRef.name, path.child('secretRef', 'name'), errors);
  },
  cephfs: (source, path, errors) => {
    if (!source.monitors?.length) errors.push(required(path.child('monitors')));
  },
  quobyte: checkQuobyte,
  downwardAPI: checkDownwardApi,
  fc: checkFc,
  flexVolume: checkFlexVolume,
  configMap: checkConfigMapSource,
  azureFile: (source, path, errors) => {
    checkRequired(source.secretName, path.child('secretName'), errors);
    checkRequired(source.shareName, path.child('shareName'), errors);
  },
  vsphereVolume: (source, path, errors) => checkRequired(source.volumePath, path.child('volumePath'), errors),
  photonPersistentDisk: (source, path, errors) => checkRequired(source.pdID, path.child('pdID'), errors),
  portworxVolume: (source, path, errors) => checkRequired(source.volumeID, path.child('volumeID'), errors),
  azureDisk: checkAzureDisk,
  storageos: checkStorageOs,
  projected: checkProjected,
  scaleIO: (source, path, errors) => {
    checkRequired(source.gateway, path.child('gateway'), errors);
    checkRequired(source.system, path.child('system'), errors);
    checkRequired(source.volumeName, path.child('volumeName'), errors);
  },
  csi: checkCsi,
  ephemeral: (source, path, errors) => {
    if (!source.volumeClaimTemplate) errors.push(required(path.child('volumeClaimTemplate')));
    else checkClaimTemplate(source.volumeClaimTemplate, path.child('volumeClaimTemplate'), errors);
  },
  image: (source, path, errors, isPod) => {
    if (isPod) checkRequired(source.reference, path.child('reference'), errors);
    checkPullPolicy(source.pullPolicy, path.child('pullPolicy'), errors);
  },
};
const SOURCES = Object.keys(RULES) as SourceName[];

/** Where upstream's paths differ from the field's name. */
const PATH_OF: Readonly<Partial<Record<SourceName, string>>> = { gcePersistentDisk: 'persistentDisk' };
const SECOND_PATH_OF: Readonly<Partial<Record<SourceName, string>>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/**
 * Rules of `spec.volumes`. Returns the volumes without errors by name: mounts may refer to those.
 * `podMeta` is absent for templates.
 */
export function checkVolumes(
  volumes: readonly V1Volume[],
  podMeta: V1ObjectMeta | undefined,
  path: FieldPath,
  isPod: boolean,
  errors: FieldError[],
): Map<string, V1Volume> {
  const good = new Map<string, V1Volume>();
  const podName = podMeta?.name ?? '';
  const created = new Set(podName === '' ? [] : volumes.filter((volume) => volume.ephemeral).map((volume) => `${podName}-${volume.name}`));
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    const before = errors.length;
    const name = volume.name ?? '';
    checkSource(volume, podName, { path: at, isPod, errors });
    if (name === '') errors.push(required(at.child('name')));
    else for (const message of dns1123Label(name)) errors.push(invalid(at.child('name'), name, message));
    if (good.has(name)) errors.push(duplicate(at.child('name'), name));
    if (errors.length === before) good.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claim, 'must not reference a PVC that gets created for an ephemeral volume'));
    }
  });
  return good;
}

function checkSource(volume: V1Volume, podName: string, { path, isPod, errors }: VolumeContext): void {
  let found = false;
  for (const source of SOURCES) {
    if (volume[source] === undefined) continue;
    if (found) errors.push(forbidden(path.child(SECOND_PATH_OF[source] ?? source), 'may not specify more than 1 volume type'));
    else {
      found = true;
      applyRule(volume, source, path.child(PATH_OF[source] ?? source), errors, isPod);
      if (source === 'ephemeral' && podName !== '' && volume.name) {
        const claim = `${podName}-${volume.name}`;
        for (const message of dns1123Subdomain(claim)) errors.push(invalid(path.child('name'), volume.name, `PVC name "${claim}": ${message}`));
      }
    }
    if (source === 'iscsi' && volume.iscsi?.initiatorName !== undefined && byteLength(`${volume.name}:${volume.iscsi.targetPortal}`) > 64) {
      errors.push(invalid(path.child('name'), volume.name,
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'));
    }
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function applyRule<K extends SourceName>(volume: V1Volume, source: K, path: FieldPath, errors: FieldError[], isPod: boolean): void {
  const value = volume[source];
  if (value !== undefined) RULES[source](value as NonNullable<V1Volume[K]>, path, errors, isPod);
}
