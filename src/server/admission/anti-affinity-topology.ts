import type { V1Pod } from '../../api/generated/types.js';
import { forbiddenError } from '../../api/status-error.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

const HOSTNAME = 'kubernetes.io/hostname';

/** Hard anti-affinity may keep other pods off a node, not off a whole zone. */
export class LimitPodHardAntiAffinityTopology implements AdmissionPlugin {
  readonly name = 'LimitPodHardAntiAffinityTopology';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const { spec, metadata } = a.object as V1Pod;
    const wide = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.find(({ topologyKey }) => topologyKey !== HOSTNAME);
    if (!wide) return;
    throw forbiddenError(a.resource, metadata?.name ?? '', `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${HOSTNAME} is allowed`);
  }
}
