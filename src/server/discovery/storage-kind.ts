import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import type { GroupVersionKind } from '../../api/meta/object.js';

/** Resources that are stored as another group version than they are asked for. */
const STORED_AS: Readonly<Record<string, readonly [string, string]>> = {
  'autoscaling/v1 HorizontalPodAutoscaler': ['autoscaling', 'v2'],
  'events.k8s.io/v1 Event': ['', 'v1'],
};

/** The kind that built-in resources are stored as. What cannot be listed and written is not stored. */
export function builtinStorageKind({ group, version, kind, verbs, storageVersion }: ResourceFacts): GroupVersionKind | undefined {
  if (storageVersion !== undefined) return { group, version: storageVersion, kind };
  if (!verbs.includes('update')) return undefined;
  const [storedGroup, storedVersion] = STORED_AS[`${group}/${version} ${kind}`] ?? [group, version];
  return { group: storedGroup, version: storedVersion, kind };
}
