import type { Draft } from '../../draft.js';
import type { V1PodSpec } from '../../generated/types.js';
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
