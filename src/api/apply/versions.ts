import type { ApplyType } from './apply-type.js';

/** One version of a kind: how its objects are merged, and how they become those of the other versions. */
export interface ApplyVersion {
  readonly type: ApplyType;
  /** Objects are those of a built-in type that has checked them: see `compareObjects`. */
  readonly checked: boolean;
  /** The type may change while objects are stored (custom resources). */
  readonly changes: boolean;
  readonly toHub: (object: unknown) => unknown;
  readonly fromHub: (object: unknown) => unknown;
}

/** The versions of a kind by `apiVersion`; undefined for those that are not served (any more). */
export type ApplyVersions = (apiVersion: string) => ApplyVersion | undefined;

/** An object of one version in another. Undefined when that is not served. */
export function convertObject(versions: ApplyVersions, object: unknown, from: string, to: string): unknown {
  if (from === to) return object;
  const target = versions(to);
  return target?.fromHub(versions(from)!.toHub(object));
}
