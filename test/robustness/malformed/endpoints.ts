import { RESOURCES } from '../../../src/api/facts/resources.js';
import type { Manifest } from '../../differential/corpus.mjs';

/** One path of the API with what is known about it. */
export interface Endpoint {
  readonly path: string;
  /** A valid object of its kind, where the corpus has one. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Every collection, object and subresource of every resource. */
export function endpoints(manifests: readonly Manifest[], namespace: string): Endpoint[] {
  return RESOURCES.flatMap((facts) => {
    const apiVersion = facts.group === '' ? facts.version : `${facts.group}/${facts.version}`;
    const prefix = facts.group === '' ? `/api/${facts.version}` : `/apis/${apiVersion}`;
    const everywhere = `${prefix}/${facts.resource}`;
    const collection = facts.namespaced ? `${prefix}/namespaces/${namespace}/${facts.resource}` : everywhere;
    const manifest = manifests.find((entry) => entry.everywhere === everywhere && !entry.absent);
    const object = manifest?.object as { metadata: { name: string } } | undefined;
    const name = `${collection}/${object?.metadata.name ?? 'something'}`;
    const common = { object: object as Endpoint['object'], apiVersion, kind: facts.kind };
    const paths = [collection, ...(facts.namespaced ? [everywhere] : []), name];
    return [
      ...paths.map((path) => ({ ...common, path })),
      ...(facts.subresources ?? []).map((sub) => ({
        path: `${name}/${sub.name}`,
        object: sub.kind === facts.kind ? common.object : undefined,
        apiVersion: sub.group === undefined ? apiVersion : sub.group === '' ? sub.version! : `${sub.group}/${sub.version}`,
        kind: sub.kind,
      })),
    ];
  });
}
