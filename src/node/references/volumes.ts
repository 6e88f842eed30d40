import type { V1KeyToPath, V1Pod, V1Volume, V1VolumeProjection } from '../../api/generated/types.js';
import { CONFIG_MAPS, SECRETS } from '../../api/resource-refs.js';
import type { PodVolumes } from '../volumes/pod-volumes.js';
import { setUpFailed, VolumeError } from '../volumes/volume-error.js';
import type { References } from './references.js';

/** That an object was there is believed for a minute. */
const MAX_AGE = 60_000;

/** Volumes of simulated pods: nothing is made; it is checked that everything that they are made of exists. */
export function simulatedVolumes(references: References): PodVolumes {
  const none = new Map<string, number>();
  return {
    setUp: (pod) => checkVolumes(pod, references),
    adopt: () => Promise.resolve(),
    follow: () => undefined,
    containerMounts: () => Promise.resolve([]),
    containerDevices: () => [],
    supplementalGroups: () => [],
    tearDown: () => Promise.resolve(),
    collect: () => Promise.resolve(),
    usage: () => Promise.resolve(none),
    folders: () => new Map(),
    stop: () => undefined,
  };
}

/** Throws a {@link VolumeError} for the first volume that lacks something. */
async function checkVolumes(pod: V1Pod, references: References): Promise<void> {
  const namespace = pod.metadata?.namespace ?? '';
  for (const volume of pod.spec?.volumes ?? []) await checkVolume(volume, namespace, references);
}

async function checkVolume(volume: V1Volume, namespace: string, references: References): Promise<void> {
  const { configMap, secret, projected } = volume;
  const check = (kind: 'configmap' | 'secret', name: string | undefined, items: readonly V1KeyToPath[] | undefined, optional: boolean | undefined): Promise<void> =>
    checkSource(volume.name, namespace, references, kind, name ?? '', items, optional === true);
  if (configMap) await check('configmap', configMap.name, configMap.items, configMap.optional);
  if (secret) await check('secret', secret.secretName, secret.items, secret.optional);
  for (const source of (projected?.sources ?? []) as readonly V1VolumeProjection[]) {
    if (source.configMap) await check('configmap', source.configMap.name, source.configMap.items, source.configMap.optional);
    if (source.secret) await check('secret', source.secret.name, source.secret.items, source.secret.optional);
  }
}

async function checkSource(
  volume: string,
  namespace: string,
  references: References,
  kind: 'configmap' | 'secret',
  name: string,
  items: readonly V1KeyToPath[] | undefined,
  optional: boolean,
): Promise<void> {
  const object = kind === 'secret' ? await references.get(SECRETS, namespace, name, MAX_AGE) : await references.get(CONFIG_MAPS, namespace, name, MAX_AGE);
  if (!object) {
    if (optional) return;
    throw new VolumeError([setUpFailed(volume, `${kind} "${name}" not found`)]);
  }
  if (optional || !items) return;
  const keys = { ...object.data, ...('binaryData' in object ? object.binaryData : {}) };
  const missing = items.find((item) => !(item.key in keys));
  if (missing) throw new VolumeError([setUpFailed(volume, kind === 'secret' ? `references non-existent secret key: ${missing.key}` : `configmap references non-existent config key: ${missing.key}`)]);
}
