import type { KubeObject } from '../api/meta/object.js';

/** Items of a list carry no type on the wire; this gives it back. Items that have one are returned as they are. */
export function typedItems<T extends KubeObject>(items: readonly T[], apiVersion: string, kind: string): readonly T[] {
  return items.map((item) => (item.kind && item.apiVersion ? item : { ...item, apiVersion, kind }));
}
