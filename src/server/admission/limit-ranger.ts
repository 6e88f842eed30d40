import type { Draft } from '../../api/draft.js';
import type { V1Container, V1LimitRange, V1LimitRangeItem, V1PersistentVolumeClaim, V1Pod } from '../../api/generated/types.js';
import { podLimitQuantities, podRequestQuantities } from '../../api/helpers/pod-resources.js';
import type { Quantity } from '../../api/quantity.js';
import { LIMIT_RANGES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import { containerAmounts, limitViolations, type Amounts } from './limit-rules.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { aggregateDistinct } from '../../api/helpers/aggregate-text.js';
import { concerns, refusal } from './refuse.js';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Limit ranges of a namespace: defaults for containers, bounds for containers, pods and claims. */
export class LimitRanger implements AdmissionPlugin {
  readonly name = 'LimitRanger';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!this.isSubject(a) || a.resource.resource !== 'pods') return;
    for (const limitRange of this.limitRanges(a)) fillDefaults(a.object as Draft<V1Pod>, limitRange);
  }

  validate(a: AdmissionAttributes): void {
    if (!this.isSubject(a)) return;
    for (const limitRange of this.limitRanges(a)) {
      const violations = a.resource.resource === 'pods' ? podViolations(a.object as V1Pod, limitRange) : claimViolations(a.object as V1PersistentVolumeClaim, limitRange);
      if (violations.length > 0) throw refusal(a, aggregateDistinct(violations));
    }
  }

  private limitRanges(a: AdmissionAttributes): readonly V1LimitRange[] {
    return this.context.view.list(LIMIT_RANGES, a.namespace);
  }

  /** Resources of running pods change by `resize` only. Objects that are being deleted are left alone. */
  private isSubject(a: AdmissionAttributes): boolean {
    if (a.oldObject?.metadata?.deletionTimestamp !== undefined) return false;
    return (
      (a.operation === 'CREATE' && concerns(a, '', 'pods')) ||
      (a.operation === 'UPDATE' && concerns(a, '', 'pods', 'resize')) ||
      concerns(a, '', 'persistentvolumeclaims')
    );
  }
}

function fillDefaults(pod: Draft<V1Pod>, limitRange: V1LimitRange): void {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const item of limitRange.spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(requests, item.defaultRequest);
    Object.assign(limits, item.default);
  }
  const notes: string[] = [];
  const fill = (containers: Draft<V1Container>[] | undefined, noun: string): void => {
    for (const container of containers ?? []) {
      const resources = (container.resources ??= {});
      const setRequests = addMissing(requests, (resources.requests ??= {}));
      const setLimits = addMissing(limits, (resources.limits ??= {}));
      if (Object.keys(resources.requests).length === 0) delete resources.requests;
      if (Object.keys(resources.limits).length === 0) delete resources.limits;
      if (setRequests.length > 0) notes.push(`${setRequests.join(', ')} request for ${noun} ${container.name}`);
      if (setLimits.length > 0) notes.push(`${setLimits.join(', ')} limit for ${noun} ${container.name}`);
    }
  };
  fill(pod.spec?.containers, 'container');
  fill(pod.spec?.initContainers, 'init container');
  if (notes.length === 0) return;
  const metadata = (pod.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

/** Names that were added, sorted. */
function addMissing(defaults: Readonly<Record<string, string>>, amounts: Record<string, string>): string[] {
  const added = Object.keys(defaults).filter((name) => amounts[name] === undefined).sort();
  for (const name of added) amounts[name] = defaults[name]!;
  return added;
}

function podViolations(pod: V1Pod, limitRange: V1LimitRange): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return (limitRange.spec?.limits ?? []).flatMap((item): string[] => {
    if (item.type === 'Container') return containers.flatMap((container) => limitViolations(item, containerAmounts(container.resources)));
    if (item.type === 'Pod') return limitViolations(item, podAmounts(pod));
    return [];
  });
}

function podAmounts(pod: V1Pod): Amounts {
  const options = { excludeOverhead: true };
  return { requests: podRequestQuantities(pod, options), limits: podLimitQuantities(pod, options) };
}

function claimViolations(claim: V1PersistentVolumeClaim, limitRange: V1LimitRange): string[] {
  const amounts: Amounts = { ...containerAmounts({ requests: claim.spec?.resources?.requests ?? {} }), limits: new Map<string, Quantity>() };
  return (limitRange.spec?.limits ?? []).flatMap((item: V1LimitRangeItem) => (item.type === 'PersistentVolumeClaim' ? limitViolations(item, amounts, true) : []));
}
