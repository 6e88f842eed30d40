import type { KubeObject } from '../../api/meta/object.js';
import type { Informer } from '../../client/index.js';
import { controllerOf } from '../../api/helpers/owner-references.js';

const INDEX = 'managing-controller';

/** An informer's objects by their managing controller. */
export interface OwnerIndex<T extends KubeObject> {
  /** Objects that this owner controls. */
  ownedBy(owner: KubeObject): readonly T[];
  /** Objects of a namespace that no controller manages. */
  orphansIn(namespace: string): readonly T[];
  /** Both: what the owner has, and what it might adopt. */
  candidatesOf(owner: KubeObject): readonly T[];
}

/** Adds the index (once per informer, however many ask) and gives access to it. */
export function ownerIndex<T extends KubeObject>(informer: Informer<T>): OwnerIndex<T> {
  informer.addIndex(INDEX, (object) => [controllerOf(object)?.uid ?? orphanKey(object.metadata?.namespace ?? '')]);
  const ownedBy = (owner: KubeObject): readonly T[] => informer.byIndex(INDEX, owner.metadata?.uid ?? '');
  const orphansIn = (namespace: string): readonly T[] => informer.byIndex(INDEX, orphanKey(namespace));
  return {
    ownedBy,
    orphansIn,
    candidatesOf: (owner) => {
      const orphans = orphansIn(owner.metadata?.namespace ?? '');
      return orphans.length === 0 ? ownedBy(owner) : [...ownedBy(owner), ...orphans];
    },
  };
}

/** No UID begins with a slash. */
function orphanKey(namespace: string): string {
  return `/${namespace}`;
}
