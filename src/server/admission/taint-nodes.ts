import type { Draft } from '../../api/draft.js';
import type { V1Node } from '../../api/generated/types.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods until it has been seen to be ready. */
export class TaintNodesByCondition implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'nodes')) return;
    const spec = ((a.object as Draft<V1Node>).spec ??= {});
    const taints = spec.taints ?? [];
    if (!taints.some((taint) => taint.key === NOT_READY.key && taint.effect === NOT_READY.effect)) spec.taints = [...taints, { ...NOT_READY }];
  }
}
