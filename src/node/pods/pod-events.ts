import type { V1Pod } from '../../api/generated/types.js';
import type { EventRecorder } from '../../reconcile/index.js';
import { containerFieldPath } from './container-kind.js';

/** Events about pods of one node, with upstream's reasons. */
export class PodEvents {
  /** With `warningsOnly`, normal events are left out: they would outnumber everything else on thousands of simulated nodes. */
  constructor(
    private readonly recorder: EventRecorder,
    private readonly warningsOnly: boolean,
  ) {}

  /** About the pod itself. */
  pod(pod: V1Pod, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (type === 'Warning' || !this.warningsOnly) this.recorder.event(typed(pod), type, reason, message);
  }

  /** About one of its containers. */
  container(pod: V1Pod, container: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (type === 'Warning' || !this.warningsOnly) this.recorder.event(typed(pod), type, reason, message, { fieldPath: containerFieldPath(pod, container) });
  }
}

function typed(pod: V1Pod): V1Pod {
  return pod.kind && pod.apiVersion ? pod : { ...pod, kind: 'Pod', apiVersion: 'v1' };
}
