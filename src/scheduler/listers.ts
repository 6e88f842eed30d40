import * as refs from '../api/resource-refs.js';
import type { Informer, InformerFactory } from '../client/index.js';
import { classOfVolume } from './plugins/pod-claims.js';
import { ATTACHMENTS_BY_NODE } from './plugins/node-volume-limits.js';
import { VOLUMES_BY_CLASS } from './plugins/volume-binder.js';

/** Pods that are done hold nothing and need nothing. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

/** Everything that the scheduler watches. */
export interface Listers {
  readonly pods: Informer<RefType<typeof refs.PODS>>;
  readonly nodes: Informer<RefType<typeof refs.NODES>>;
  readonly namespaces: Informer<RefType<typeof refs.NAMESPACES>>;
  readonly services: Informer<RefType<typeof refs.SERVICES>>;
  readonly replicationControllers: Informer<RefType<typeof refs.REPLICATION_CONTROLLERS>>;
  readonly replicaSets: Informer<RefType<typeof refs.REPLICA_SETS>>;
  readonly statefulSets: Informer<RefType<typeof refs.STATEFUL_SETS>>;
  readonly budgets: Informer<RefType<typeof refs.POD_DISRUPTION_BUDGETS>>;
  readonly claims: Informer<RefType<typeof refs.PERSISTENT_VOLUME_CLAIMS>>;
  readonly volumes: Informer<RefType<typeof refs.PERSISTENT_VOLUMES>>;
  readonly classes: Informer<RefType<typeof refs.STORAGE_CLASSES>>;
  readonly csiNodes: Informer<RefType<typeof refs.CSI_NODES>>;
  readonly drivers: Informer<RefType<typeof refs.CSI_DRIVERS>>;
  readonly capacities: Informer<RefType<typeof refs.CSI_STORAGE_CAPACITIES>>;
  readonly attachments: Informer<RefType<typeof refs.VOLUME_ATTACHMENTS>>;
  readonly resourceClaims: Informer<RefType<typeof refs.RESOURCE_CLAIMS>>;
}

type RefType<R> = R extends refs.ResourceRef<infer T> ? T : never;

/** Asks for the informers and adds the indexes that plugins need. */
export function createListers(factory: InformerFactory): Listers {
  const volumes = factory.informer(refs.PERSISTENT_VOLUMES);
  volumes.addIndex(VOLUMES_BY_CLASS, (volume) => [classOfVolume(volume)]);
  const attachments = factory.informer(refs.VOLUME_ATTACHMENTS);
  attachments.addIndex(ATTACHMENTS_BY_NODE, ({ spec }) => (spec ? [spec.nodeName] : []));
  return {
    pods: factory.informer(refs.PODS, { fieldSelector: LIVE_PODS }),
    nodes: factory.informer(refs.NODES),
    namespaces: factory.informer(refs.NAMESPACES),
    services: factory.informer(refs.SERVICES),
    replicationControllers: factory.informer(refs.REPLICATION_CONTROLLERS),
    replicaSets: factory.informer(refs.REPLICA_SETS),
    statefulSets: factory.informer(refs.STATEFUL_SETS),
    budgets: factory.informer(refs.POD_DISRUPTION_BUDGETS),
    claims: factory.informer(refs.PERSISTENT_VOLUME_CLAIMS),
    volumes,
    classes: factory.informer(refs.STORAGE_CLASSES),
    csiNodes: factory.informer(refs.CSI_NODES),
    drivers: factory.informer(refs.CSI_DRIVERS),
    capacities: factory.informer(refs.CSI_STORAGE_CAPACITIES),
    attachments,
    resourceClaims: factory.informer(refs.RESOURCE_CLAIMS),
  };
}
