import type { Draft } from '../../api/draft.js';
import type { V1Pod, V1Toleration } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { isExtendedResource } from '../../api/helpers/resource-names.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

/** Pods that ask for a device tolerate the taint that keeps other pods off nodes with such devices. */
export class ExtendedResourceToleration implements AdmissionPlugin {
  readonly name = 'ExtendedResourceToleration';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const { spec } = a.object as Draft<V1Pod>;
    if (!spec) return;
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const names = new Set(containers.flatMap((container) => Object.keys(container.resources?.requests ?? {})).filter(isExtendedResource));
    for (const key of [...names].sort()) spec.tolerations = withToleration(spec.tolerations ?? [], { key, operator: 'Exists', effect: 'NoSchedule' });
  }
}

/** The list with the toleration, in the place of those that say the same with another number of seconds. */
function withToleration(tolerations: Draft<V1Toleration>[], added: Draft<V1Toleration>): Draft<V1Toleration>[] {
  const isSame = (toleration: V1Toleration): boolean =>
    toleration.key === added.key && toleration.effect === added.effect && toleration.operator === added.operator && (toleration.value ?? '') === '';
  if (!tolerations.some(isSame)) return [...tolerations, added];
  if (tolerations.some((toleration) => deepEqual(toleration, added))) return tolerations;
  return tolerations.map((toleration) => (isSame(toleration) ? added : toleration));
}
