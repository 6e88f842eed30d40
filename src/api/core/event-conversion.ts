import type { CoreV1Event, EventsV1Event } from '../generated/types.js';
import type { KubeObject } from '../meta/object.js';

/** Pairs of names of the same field: in `events.k8s.io/v1`, and in the hub. Others have the same name in both. */
const RENAMED = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

const TO_HUB = new Map<string, string>(RENAMED.map(([field, hub]) => [field, hub]));
const FROM_HUB = new Map<string, string>(RENAMED.map(([field, hub]) => [hub, field]));

/** From `events.k8s.io/v1` to the core kind. */
export function eventToHub(object: KubeObject): KubeObject {
  return renamed(object as EventsV1Event, TO_HUB, 'v1') as KubeObject;
}

/** From the core kind to `events.k8s.io/v1`. */
export function eventFromHub(object: KubeObject): KubeObject {
  const event = renamed(object as CoreV1Event, FROM_HUB, 'events.k8s.io/v1');
  // Always present in the hub's form, never in this one.
  for (const field of ['reportingController', 'reportingInstance']) if (event[field] === '') delete event[field];
  return event as KubeObject;
}

function renamed(object: object, names: ReadonlyMap<string, string>, apiVersion: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object)) result[names.get(field) ?? field] = value;
  result['apiVersion'] = apiVersion;
  return result;
}
