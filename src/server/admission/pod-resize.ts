import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { podRequestQuantities } from '../../api/helpers/pod-resources.js';
import { Quantity } from '../../api/quantity.js';
import { NODES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

/** Running pods do not grow beyond what their node has to give at all, nor where nodes cannot resize. */
export class PodResizeValidator implements AdmissionPlugin {
  readonly name = 'PodResizeValidator';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods', 'resize')) return;
    const pod = a.object as V1Pod;
    const name = pod.spec?.nodeName ?? '';
    if (name === '' || pod.metadata?.generation === a.oldObject?.metadata?.generation) return;
    const node = this.context.view.get(NODES, '', name);
    if (!node) throw refusal(a, `node ${JSON.stringify(name)} not found`);
    const system = node.metadata?.labels?.['kubernetes.io/os'];
    if (system !== undefined && system !== 'linux') throw withCause(a, `pod resize is only supported on linux nodes, node ${JSON.stringify(name)} is ${JSON.stringify(system)}`, 'UnsupportedPlatform');
    const lacking = lackingOn(node, pod);
    if (lacking.length > 0) throw withCause(a, `node didn't have enough allocatable resources: ${lacking.join('; ')}`, 'NodeCapacity');
  }
}

function lackingOn(node: V1Node, pod: V1Pod): string[] {
  const requests = podRequestQuantities(pod);
  const compare = (name: 'cpu' | 'memory', print: (amount: Quantity) => bigint | number): string[] => {
    const requested = requests.get(name) ?? Quantity.zero;
    const allocatable = Quantity.parse(node.status?.allocatable?.[name] ?? '0');
    return requested.compare(allocatable) > 0 ? [`${name}, requested: ${print(requested)}, allocatable: ${print(allocatable)}`] : [];
  };
  return [...compare('cpu', (amount) => amount.milliValue()), ...compare('memory', (amount) => amount.value())];
}

function withCause(a: AdmissionAttributes, why: string, reason: string): StatusError {
  const { status } = refusal(a, why);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
