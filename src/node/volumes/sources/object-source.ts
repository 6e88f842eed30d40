import type { KubeObject } from '../../../api/meta/object.js';
import type { ResourceRef } from '../../../api/resource-refs.js';
import { CONFIG_MAPS, SECRETS } from '../../../api/resource-refs.js';
import type { V1ConfigMapVolumeSource, V1SecretVolumeSource } from '../../../api/generated/types.js';
import { configMapPayload, secretPayload } from '../content/key-payload.js';
import type { Payload } from '../content/atomic-writer.js';
import { prepareContent } from './content-volume.js';
import type { PreparedVolume } from './prepared.js';
import type { SourceContext } from './source-context.js';

/** What is mounted must be fresh; pods that start together share a request. In milliseconds. */
const MAX_AGE = 1000;

/** An object that a volume shows. Throws with upstream's message when it does not exist and must. */
async function load<T extends KubeObject>({ watches, pod }: SourceContext, ref: ResourceRef<T>, name: string, optional: boolean): Promise<T | undefined> {
  const object = await watches.get(ref, pod.metadata?.namespace ?? '', name, MAX_AGE);
  if (!object && !optional) throw new Error(`${ref.kind.toLowerCase()} "${name}" not found`);
  return object;
}

/** Files of a config map. */
export async function loadConfigMap(context: SourceContext, { name = '', items, optional = false, defaultMode }: V1ConfigMapVolumeSource): Promise<Payload> {
  return configMapPayload(await load(context, CONFIG_MAPS, name, optional), { items, defaultMode, optional });
}

/** Files of a secret. */
export async function loadSecret(context: SourceContext, { secretName = '', items, optional = false, defaultMode }: V1SecretVolumeSource): Promise<Payload> {
  return secretPayload(await load(context, SECRETS, secretName, optional), { items, defaultMode, optional });
}

export function prepareConfigMap(context: SourceContext, source: V1ConfigMapVolumeSource): Promise<PreparedVolume> {
  return prepareContent(context, 'configMap', {
    sources: [{ ref: CONFIG_MAPS, name: source.name ?? '' }], showsPod: false,
    collect: async () => ({ payload: await loadConfigMap(context, source), refreshAt: undefined }),
  });
}

export function prepareSecret(context: SourceContext, source: V1SecretVolumeSource): Promise<PreparedVolume> {
  return prepareContent(context, 'secret', {
    sources: [{ ref: SECRETS, name: source.secretName ?? '' }], showsPod: false,
    collect: async () => ({ payload: await loadSecret(context, source), refreshAt: undefined }),
  });
}
