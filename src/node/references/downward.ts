import type { V1Container, V1ObjectFieldSelector, V1Pod, V1ResourceFieldSelector } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import { containerSpec } from '../pods/container-kind.js';

/** Facts of the running pod that its spec does not have. */
export interface PodFacts {
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
  /** What the node can give to pods: the value of limits that are not set. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** The value of a `fieldRef`. Throws for a path that is not supported. */
export function podField(pod: V1Pod, selector: V1ObjectFieldSelector, facts: PodFacts): string {
  const path = selector.fieldPath;
  const key = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (key) return (key[1] === 'labels' ? pod.metadata?.labels : pod.metadata?.annotations)?.[key[2]!] ?? '';
  switch (path) {
    case 'metadata.name':
      return pod.metadata?.name ?? '';
    case 'metadata.namespace':
      return pod.metadata?.namespace ?? '';
    case 'metadata.uid':
      return pod.metadata?.uid ?? '';
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return facts.hostIps[0] ?? '';
    case 'status.hostIPs':
      return facts.hostIps.join(',');
    case 'status.podIP':
      return facts.podIps[0] ?? '';
    case 'status.podIPs':
      return facts.podIps.join(',');
    case 'metadata.labels':
    case 'metadata.annotations':
      return Object.entries((path === 'metadata.labels' ? pod.metadata?.labels : pod.metadata?.annotations) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join('\n');
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

/** The value of a `resourceFieldRef`, in units of its divisor, rounded up. */
export function resourceField(pod: V1Pod, container: V1Container, selector: V1ResourceFieldSelector, facts: PodFacts): string {
  const source = selector.containerName ? containerSpec(pod, selector.containerName) : container;
  if (!source) throw new Error(`container ${selector.containerName} not found`);
  const dot = selector.resource.indexOf('.');
  const [list, name] = [selector.resource.slice(0, dot), selector.resource.slice(dot + 1)];
  const amounts = list === 'limits' ? source.resources?.limits : source.resources?.requests;
  // A limit that is not set is what the node has; so is a request of neither.
  const text = amounts?.[name] ?? (list === 'limits' ? facts.allocatable[name] : undefined) ?? '0';
  const cpu = name === 'cpu';
  const divisorText = selector.divisor && selector.divisor !== '0' ? selector.divisor : '1';
  const scale = cpu ? -3 : 0;
  const value = Quantity.parse(text).scaled(scale);
  const divisor = Quantity.parse(divisorText).scaled(scale);
  const unit = divisor === 0n ? 1n : divisor;
  return String((value + unit - 1n) / unit);
}
