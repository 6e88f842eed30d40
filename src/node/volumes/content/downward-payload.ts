import type { V1DownwardAPIVolumeFile, V1Pod } from '../../../api/generated/types.js';
import { containerSpec } from '../../pods/container-kind.js';
import { podField, resourceField, type PodFacts } from '../../references/downward.js';
import type { FileProjection, Payload } from './atomic-writer.js';
import { DEFAULT_MODE } from './key-payload.js';

/** Files made of a pod's own fields. Throws for one that does not exist. */
export function downwardPayload(pod: V1Pod, items: readonly V1DownwardAPIVolumeFile[] | undefined, defaultMode: number | undefined, facts: PodFacts): Payload {
  const payload = new Map<string, FileProjection>();
  for (const { path, mode, fieldRef, resourceFieldRef } of items ?? []) {
    let text = '';
    if (fieldRef) text = podField(pod, fieldRef, facts);
    else if (resourceFieldRef) {
      const container = containerSpec(pod, resourceFieldRef.containerName ?? '');
      if (!container) throw new Error(`container ${resourceFieldRef.containerName ?? ''} not found`);
      text = resourceField(pod, container, resourceFieldRef, facts);
    }
    payload.set(path, { data: Buffer.from(text), mode: mode ?? defaultMode ?? DEFAULT_MODE });
  }
  return payload;
}
