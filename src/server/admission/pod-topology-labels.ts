import type { Draft } from '../../api/draft.js';
import type { V1Binding, V1Pod } from '../../api/generated/types.js';
import { NODES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Pods carry the zone and region of their node. */
export class PodTopologyLabels implements AdmissionPlugin {
  readonly name = 'PodTopologyLabels';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (concerns(a, '', 'pods', 'binding')) {
      const { target } = a.object as V1Binding;
      if (target?.kind === 'Node') this.copyLabels(a, target.name ?? '');
    } else if (concerns(a, '', 'pods')) this.copyLabels(a, (a.object as Draft<V1Pod>).spec?.nodeName ?? '');
  }

  private copyLabels(a: AdmissionAttributes, node: string): void {
    const labels = node === '' ? undefined : this.context.view.get(NODES, '', node)?.metadata?.labels;
    if (!labels || !a.object) return;
    const found = LABELS.filter((key) => labels[key] !== undefined);
    if (found.length === 0) return;
    const metadata = (a.object.metadata ??= {});
    metadata.labels = { ...metadata.labels, ...Object.fromEntries(found.map((key) => [key, labels[key]!])) };
  }
}
