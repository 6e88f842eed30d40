import type { V1EndpointSlice } from '../../api/generated/types.js';
import { controllerReference } from '../../api/helpers/owner-references.js';
import type { KubeObject } from '../../api/meta/object.js';
import { StatusError } from '../../api/status-error.js';
import type { ResourceClient } from '../../client/index.js';
import type { SlicePlan } from './slice-plan.js';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Labels and annotations of every slice of an owner. */
export interface SliceMetadata {
  readonly owner: KubeObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Told of each write that succeeds; without a generation the slice was removed. */
  readonly written?: (name: string, generation: number | undefined) => void;
}

/** Carries a plan out. Conflicts are thrown: the next round plans on newer slices. */
export async function writeSlices(client: ResourceClient<V1EndpointSlice>, plan: SlicePlan, metadata: SliceMetadata): Promise<void> {
  const { name = '', namespace = '' } = metadata.owner.metadata ?? {};
  const meta = { labels: metadata.labels, ...(Object.keys(metadata.annotations).length > 0 ? { annotations: metadata.annotations } : {}) };
  const note = (slice: V1EndpointSlice): void => metadata.written?.(slice.metadata?.name ?? '', slice.metadata?.generation ?? 0);
  await Promise.all([
    ...plan.create.map((content) =>
      client
        .create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { generateName: `${name.slice(0, 57)}-`, namespace, ...meta, ownerReferences: [controllerReference(metadata.owner)] },
        ...content,
      }).then(note)),
    ...plan.update.map((slice) => {
      const { [TRIGGER_TIME]: _trigger, ...kept } = slice.metadata?.annotations ?? {};
      return client.update({ ...slice, metadata: { ...slice.metadata, labels: metadata.labels, annotations: { ...kept, ...metadata.annotations } } }).then(note);
    }),
    ...plan.remove.map(async (slice) => {
      const removed = slice.metadata?.name ?? '';
      await client.delete(namespace, removed).catch((error: unknown) => {
        if (!StatusError.is(error, 'NotFound')) throw error;
      });
      metadata.written?.(removed, undefined);
    }),
  ]);
}
