import type { Draft } from '../../draft.js';
import type { V1PodSpec, V1PodStatus } from '../../generated/types.js';
import { visitContainers } from './visit.js';
import { FieldPath } from '../../meta/field-path.js';

/**
 * Removes what upstream 1.36 drops silently, because its feature is off by default: stop signals, projected trust bundles and
 * pod certificates, scheduling groups.
 */
export function dropDisabledFields(spec: Draft<V1PodSpec> | undefined): void {
  if (!spec) return;
  delete spec.schedulingGroup;
  for (const volume of spec.volumes ?? []) {
    for (const source of volume.projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
  visitContainers(spec, FieldPath.root, (container) => {
    const draft = container as Draft<typeof container>;
    if (draft.lifecycle?.stopSignal === undefined) return;
    delete draft.lifecycle.stopSignal;
    if (!draft.lifecycle.postStart && !draft.lifecycle.preStop) delete draft.lifecycle;
  });
}

/** The same for what is told about a pod: node-allocatable claims and the state of mounted image volumes. */
export function dropDisabledStatusFields(status: Draft<V1PodStatus>): void {
  delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses]) {
    for (const container of list ?? []) for (const mount of container.volumeMounts ?? []) delete mount.volumeStatus;
  }
}
