import type { V1Pod } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';
import { podDefaults } from './pod/defaults.js';
import {
  preparePodForCreate, preparePodForEphemeralContainers, preparePodForResize, preparePodForStatusUpdate, preparePodForUpdate,
} from './pod/prepare.js';
import { podColumns } from './pod/table.js';
import { validatePod } from './pod/validate.js';
import { validatePodResize } from './pod/validate-resize.js';
import { validatePodStatusUpdate } from './pod/validate-status.js';
import { validateEphemeralContainersUpdate, validatePodUpdate } from './pod/validate-update.js';
import { podWarnings } from './pod/warnings.js';

/** Seconds until a deleted pod is gone: as asked, else as its spec says; at once when no node runs it (any more). */
function gracePeriodSeconds(pod: V1Pod, requested: number | undefined): number {
  const phase = pod.status?.phase;
  if (!pod.spec?.nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

export const pod = defineKind<V1Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  defaults: podDefaults,
  prepareForCreate: preparePodForCreate,
  prepareForUpdate: preparePodForUpdate,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  warnings: podWarnings,
  gracefulDeletion: { gracePeriodSeconds },
  subresources: {
    status: { prepareForUpdate: preparePodForStatusUpdate, validateUpdate: validatePodStatusUpdate },
    ephemeralcontainers: { prepareForUpdate: preparePodForEphemeralContainers, validateUpdate: validateEphemeralContainersUpdate },
    resize: { prepareForUpdate: preparePodForResize, validateUpdate: validatePodResize },
  },
  columns: podColumns,
  selectableFields: {
    'spec.nodeName': (object) => object.spec?.nodeName ?? '',
    'spec.restartPolicy': (object) => object.spec?.restartPolicy ?? '',
    'spec.schedulerName': (object) => object.spec?.schedulerName ?? '',
    'spec.serviceAccountName': (object) => object.spec?.serviceAccountName ?? '',
    'spec.hostNetwork': (object) => String(object.spec?.hostNetwork ?? false),
    'status.phase': (object) => object.status?.phase ?? '',
    'status.podIP': (object) => object.status?.podIPs?.[0]?.ip ?? object.status?.podIP ?? '',
    'status.nominatedNodeName': (object) => object.status?.nominatedNodeName ?? '',
  },
});
