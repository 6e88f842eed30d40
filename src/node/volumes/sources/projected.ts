import type { V1DownwardAPIVolumeSource, V1Pod, V1ProjectedVolumeSource, V1VolumeProjection } from '../../../api/generated/types.js';
import { CONFIG_MAPS, SECRETS } from '../../../api/resource-refs.js';
import { errorMessage } from '../../../base/errors.js';
import type { FileProjection, Payload } from '../content/atomic-writer.js';
import { downwardPayload } from '../content/downward-payload.js';
import { DEFAULT_MODE } from '../content/key-payload.js';
import { prepareContent } from './content-volume.js';
import { loadConfigMap, loadSecret } from './object-source.js';
import type { CollectedContent, PreparedVolume, VolumeContent } from './prepared.js';
import type { SourceContext } from './source-context.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';

/** A volume of the pod's own fields. */
export function prepareDownward(context: SourceContext, source: V1DownwardAPIVolumeSource): Promise<PreparedVolume> {
  return prepareContent(context, 'downwardAPI', {
    sources: [], showsPod: true,
    collect: (pod) => Promise.resolve({ payload: downwardPayload(pod, source.items, source.defaultMode, { podIps: [], hostIps: [], allocatable: context.allocatable }), refreshAt: undefined }),
  });
}

/** A volume of several sources; where two have the same path the later one wins. */
export function prepareProjected(context: SourceContext, source: V1ProjectedVolumeSource): Promise<PreparedVolume> {
  const projections = source.sources ?? [];
  const sources: VolumeContent['sources'][number][] = [];
  for (const { configMap, secret } of projections) {
    if (configMap) sources.push({ ref: CONFIG_MAPS, name: configMap.name ?? '' });
    if (secret) sources.push({ ref: SECRETS, name: secret.name ?? '' });
  }
  return prepareContent(context, 'projected', { sources, showsPod: projections.some((projection) => projection.downwardAPI), collect: (pod) => collect(context, pod, projections, source.defaultMode) });
}

async function collect(context: SourceContext, pod: V1Pod, projections: readonly V1VolumeProjection[], defaultMode: number | undefined): Promise<CollectedContent> {
  const parts = await Promise.allSettled(projections.map((projection) => collectOne(context, pod, projection, defaultMode)));
  const failures = parts.flatMap((part) => (part.status === 'rejected' ? [errorMessage(part.reason)] : []));
  if (failures.length > 0) throw new Error(aggregateText(failures));
  const payload = new Map<string, FileProjection>();
  let refreshAt: number | undefined;
  for (const part of parts) {
    if (part.status === 'rejected') continue;
    for (const [path, file] of part.value.payload) payload.set(path, file);
    if (part.value.refreshAt !== undefined) refreshAt = Math.min(refreshAt ?? Infinity, part.value.refreshAt);
  }
  return { payload, refreshAt };
}

async function collectOne(context: SourceContext, pod: V1Pod, projection: V1VolumeProjection, defaultMode: number | undefined): Promise<CollectedContent> {
  const mode = defaultMode === undefined ? {} : { defaultMode };
  const plain = (payload: Payload): CollectedContent => ({ payload, refreshAt: undefined });
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (configMap) return plain(await loadConfigMap(context, { ...configMap, ...mode }));
  if (secret) return plain(await loadSecret(context, { ...secret, ...(secret.name === undefined ? {} : { secretName: secret.name }), ...mode }));
  if (downwardAPI) return plain(downwardPayload(pod, downwardAPI.items, defaultMode, { podIps: [], hostIps: [], allocatable: context.allocatable }));
  if (serviceAccountToken) {
    const { token, refreshAt } = await context.tokens.get(pod, serviceAccountToken);
    return { payload: new Map([[serviceAccountToken.path, privateFile(context, Buffer.from(token), defaultMode)]]), refreshAt };
  }
  if (clusterTrustBundle) {
    if (!clusterTrustBundle.optional) throw new Error(`projected volume ${context.volume.name}: clusterTrustBundle sources are not supported`);
    return plain(new Map([[clusterTrustBundle.path, privateFile(context, Buffer.alloc(0), defaultMode)]]));
  }
  if (podCertificate) throw new Error(`projected volume ${context.volume.name}: podCertificate sources are not supported`);
  return plain(new Map());
}

/** Upstream's rule for tokens: when one user or group reads them they are for nobody else; `fsGroup` makes 0640 of it. */
function privateFile({ fsUser, fsGroup }: SourceContext, data: Buffer, defaultMode: number | undefined): FileProjection {
  const mode = fsUser !== undefined || fsGroup !== undefined ? 0o600 : (defaultMode ?? DEFAULT_MODE);
  return { data, mode, ...(fsUser === undefined ? {} : { uid: fsUser }) };
}
