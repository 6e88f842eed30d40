import type { V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { NODES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

/** Updates of a running pod that need a feature of the node agent, by the feature's name (as nodes declare it). */
const FEATURES: Readonly<Record<string, (after: V1Pod, before: V1Pod) => boolean>> = {
  InPlacePodLevelResourcesVerticalScaling: (after, before) => !deepEqual(after.spec?.resources, before.spec?.resources),
  InPlacePodVerticalScalingInitContainers: (after, before) =>
    (before.spec?.initContainers ?? []).some((container, i) => container.restartPolicy !== 'Always' && !deepEqual(container.resources, after.spec?.initContainers?.[i]?.resources)),
};

/** Running pods are not changed in ways that their node does not know. */
export class NodeDeclaredFeatureValidator implements AdmissionPlugin {
  readonly name = 'NodeDeclaredFeatureValidator';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods') && !concerns(a, '', 'pods', 'resize')) return;
    const [after, before] = [a.object as V1Pod, a.oldObject as V1Pod];
    const name = after.spec?.nodeName ?? '';
    if (name === '' || after.metadata?.generation === before.metadata?.generation) return;
    const needed = Object.keys(FEATURES).filter((feature) => FEATURES[feature]!(after, before));
    if (needed.length === 0) return;
    const node = this.context.view.get(NODES, '', name);
    if (!node) throw refusal(a, `node ${JSON.stringify(name)} not found`);
    const missing = needed.filter((feature) => !node.status?.declaredFeatures?.includes(feature));
    if (missing.length > 0) throw refusal(a, `pod update requires features ${missing.join(', ')} which are not available on node ${JSON.stringify(name)}`);
  }
}
