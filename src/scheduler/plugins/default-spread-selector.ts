import type { V1ReplicaSet, V1ReplicationController, V1Service, V1StatefulSet } from '../../api/generated/types.js';
import { controllerOf } from '../../api/helpers/owner-references.js';
import type { Lister } from '../../client/index.js';
import type { PodInfo } from '../cache/pod-info.js';
import { PodSelector } from '../framework/pod-selector.js';

/** Where the groups that a pod belongs to are looked up. */
export interface SpreadListers {
  readonly services: Lister<V1Service>;
  readonly replicationControllers: Lister<V1ReplicationController>;
  readonly replicaSets: Lister<V1ReplicaSet>;
  readonly statefulSets: Lister<V1StatefulSet>;
}

/**
 * Finds the pods that a pod without spread constraints should be spread from: those of the services that select it and of its controller.
 * Selectors of controllers are compiled once per object.
 */
export class DefaultSpreadSelector {
  private readonly compiled = new WeakMap<object, PodSelector>();

  constructor(private readonly listers: SpreadListers) {}

  /** Empty when the pod belongs to no group. */
  find(pod: PodInfo): PodSelector {
    const wanted: Record<string, string> = {};
    for (const service of this.listers.services.list(pod.namespace)) {
      const selector = service.spec?.selector;
      // A service without a selector selects nothing.
      if (selector && isSubset(selector, pod.labels)) Object.assign(wanted, selector);
    }
    const owner = controllerOf(pod.pod);
    if (owner?.kind === 'ReplicationController' && owner.apiVersion === 'v1') {
      Object.assign(wanted, this.listers.replicationControllers.get(pod.namespace, owner.name)?.spec?.selector);
    }
    const base = PodSelector.fromMap(wanted);
    if (owner?.apiVersion !== 'apps/v1') return base;
    const controller =
      owner.kind === 'ReplicaSet'
        ? this.listers.replicaSets.get(pod.namespace, owner.name)
        : owner.kind === 'StatefulSet'
          ? this.listers.statefulSets.get(pod.namespace, owner.name)
          : undefined;
    const selector = controller?.spec?.selector;
    if (!selector) return base;
    let compiled = this.compiled.get(selector);
    if (!compiled) this.compiled.set(selector, (compiled = PodSelector.fromObject(selector)));
    return base.empty ? compiled : base.and(compiled);
  }
}

function isSubset(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> | undefined): boolean {
  for (const key in selector) if (labels?.[key] !== selector[key]) return false;
  return true;
}
