import { atOnce, run, type Steps } from '../../base/steps.js';
import { toDraft, type Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import { toHub, type ServedResource } from '../../api/scheme/scheme.js';

/** A decoded object of a served version as the hub version, with the defaults of both filled in. May reuse the object. */
export function hubDraft(resource: ServedResource, decoded: Draft<KubeObject>): Draft<KubeObject> {
  const { conversion, definition } = resource;
  if (conversion === undefined) {
    definition.defaults?.(decoded);
    return decoded;
  }
  conversion.defaults?.(decoded);
  // Conversion may share parts with its input, which nobody else has.
  const draft = toHub(resource, decoded as KubeObject) as Draft<KubeObject>;
  definition.defaults?.(draft);
  return draft;
}

/** A writable copy of a stored object in the served version. */
export function servedCopy(resource: ServedResource, stored: KubeObject): Draft<KubeObject> {
  return toDraft(resource.conversion ? resource.conversion.fromHub(stored) : stored);
}

/** Does work that may need objects in other versions; where that takes time, as often as it takes. Otherwise with pauses. */
export function settled<T>(resource: ServedResource, work: () => Steps<T>): T | Promise<T> {
  return resource.lateConversion ? resource.lateConversion.settle(() => atOnce(work())) : run(work());
}
