import type { Draft } from '../../api/draft.js';
import type { V1Pod } from '../../api/generated/types.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const SECONDS = 300;

/** Pods stay for five minutes on a node that is not ready or unreachable, unless they say otherwise. */
export class DefaultTolerationSeconds implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const spec = ((a.object as Draft<V1Pod>).spec ??= { containers: [] });
    const given = spec.tolerations ?? [];
    const missing = TAINTS.filter(
      (key) => !given.some((toleration) => (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute')),
    );
    if (missing.length === 0) return;
    spec.tolerations = [...given, ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))];
  }
}
