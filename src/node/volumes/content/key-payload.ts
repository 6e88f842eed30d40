import type { V1ConfigMap, V1KeyToPath, V1Secret } from '../../../api/generated/types.js';
import type { FileProjection, Payload } from './atomic-writer.js';

/** Upstream's default where the API server did not fill one in. */
export const DEFAULT_MODE = 0o644;

/** What a volume takes from a config map or secret. */
export interface KeySelection {
  readonly items: readonly V1KeyToPath[] | undefined;
  readonly defaultMode: number | undefined;
  readonly optional: boolean;
}

/** Files of a config map; one that does not exist (and is optional) has none. Throws with upstream's message for a key that is missing. */
export function configMapPayload(map: V1ConfigMap | undefined, selection: KeySelection): Payload {
  const values = new Map<string, () => Buffer>();
  for (const [key, value] of Object.entries(map?.binaryData ?? {})) values.set(key, () => Buffer.from(value, 'base64'));
  for (const [key, value] of Object.entries(map?.data ?? {})) values.set(key, () => Buffer.from(value));
  return select(values, selection, (key) => `configmap references non-existent config key: ${key}`);
}

/** Files of a secret, by the same rules. */
export function secretPayload(secret: V1Secret | undefined, selection: KeySelection): Payload {
  const values = new Map(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, () => Buffer.from(value, 'base64')]));
  return select(values, selection, (key) => `references non-existent secret key: ${key}`);
}

function select(values: ReadonlyMap<string, () => Buffer>, { items, defaultMode = DEFAULT_MODE, optional }: KeySelection, missing: (key: string) => string): Payload {
  const payload = new Map<string, FileProjection>();
  if (!items?.length) {
    for (const [key, value] of values) payload.set(key, { data: value(), mode: defaultMode });
    return payload;
  }
  for (const { key, path, mode } of items) {
    const value = values.get(key);
    if (value) payload.set(path, { data: value(), mode: mode ?? defaultMode });
    else if (!optional) throw new Error(missing(key));
  }
  return payload;
}
