import type { V1PersistentVolumeClaim, V1Pod, V1ResourceQuota } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { quotaMatches, type QuotaEvaluator, type Usage } from '../../api/helpers/quota.js';
import { isTerminating } from '../../api/helpers/quota-scopes.js';
import { Quantity } from '../../api/quantity.js';
import type { LimitedResource } from './config/resource-quota.js';
import type { AdmissionAttributes } from './plugin.js';
import { requireCover } from './quota-limits.js';
import { refusal } from './refuse.js';

/** A quota with what is used of it, as the requests before this one leave it. */
export interface QuotaState {
  readonly quota: V1ResourceQuota;
  readonly hard: Usage;
  readonly used: Usage;
}

export function quotaState(quota: V1ResourceQuota): QuotaState {
  return { quota, hard: parseAll(quota.status?.hard), used: parseAll(quota.status?.used) };
}

function parseAll(amounts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, Quantity.parse(text)]));
}

/** Whether a request can change what is used at all. */
export function countsAgainstQuota(a: AdmissionAttributes): boolean {
  const { operation, subresource } = a;
  switch (a.resource.group === '' ? a.resource.resource : '') {
    case 'pods':
      if (subresource === 'resize') return operation === 'UPDATE';
      return subresource === '' && (operation === 'CREATE' || (operation === 'UPDATE' && isTerminating(a.object as V1Pod) !== isTerminating(a.oldObject as V1Pod)));
    case 'services':
      return subresource === '';
    case 'persistentvolumeclaims':
      return subresource === '' || (subresource === 'status' && operation === 'UPDATE' && claimChanges(a.object as V1PersistentVolumeClaim, a.oldObject as V1PersistentVolumeClaim));
    default:
      return subresource === '' && operation === 'CREATE';
  }
}

function claimChanges(after: V1PersistentVolumeClaim, before: V1PersistentVolumeClaim): boolean {
  const facts = ({ spec, status }: V1PersistentVolumeClaim): unknown =>
    [status?.allocatedResources, spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, status?.modifyVolumeStatus?.targetVolumeAttributesClassName];
  return !deepEqual(facts(after), facts(before));
}

/**
 * The quotas after a request; those that it does not touch are the same objects. Throws 403 when one is exceeded, when it cannot
 * be told, or when what the request uses is `limited` to what quotas cover. `now` in milliseconds.
 */
export function applyRequest(states: readonly QuotaState[], a: AdmissionAttributes, evaluator: QuotaEvaluator, now: number, limited: readonly LimitedResource[] = []): QuotaState[] {
  const object = a.object!;
  const covering = states.filter((state) => covers(state, a, evaluator));
  if (covering.length === 0 && limited.length === 0) return [...states];
  const usage = evaluator.usage(object, now);
  const negative = [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
  if (negative.length > 0) throw refusal(a, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const before = a.operation === 'UPDATE' ? a.oldObject : undefined;
  const growth = before ? grownBy(usage, evaluator.usage(before, now)) : usage;
  const charges = new Map(covering.map((state) => {
    const counted = before !== undefined && quotaMatches(state.quota, [...state.hard.keys()], evaluator, before);
    return [state, counted ? growth : usage];
  }));
  const used = covering.length > 0 ? [...charges.values()] : [growth];
  if (!used.some((amounts) => [...amounts.values()].some((amount) => amount.sign !== 0))) return [...states];
  if (limited.length > 0) {
    const names = covering.flatMap(({ hard }) => evaluator.matchingNames([...hard.keys()]));
    requireCover(limited, a, evaluator, usage, new Set(names), states.map(({ quota }) => quota));
  }
  return states.map((state) => {
    const charged = charges.get(state);
    return charged ? charge(state, a, charged) : state;
  });
}

/** Whether the object counts against the quota. Throws 403 when it lacks what the quota demands, or the usage is not known yet. */
function covers(state: QuotaState, a: AdmissionAttributes, evaluator: QuotaEvaluator): boolean {
  const { quota, hard, used } = state;
  const names = [...hard.keys()];
  if (!quotaMatches(quota, names, evaluator, a.object!)) return false;
  const limited = evaluator.matchingNames(names);
  const name = quota.metadata?.name ?? '';
  const missing = evaluator.missing(limited, a.object!);
  if (missing !== undefined) throw refusal(a, `failed quota: ${name}: ${missing}`);
  if (limited.some((resource) => !used.has(resource))) throw refusal(a, `status unknown for quota: ${name}, resources: ${[...limited].sort().join(',')}`);
  return true;
}

/** What is used more; using less gives nothing back here, the controller counts again. */
function grownBy(after: Usage, before: Usage): Usage {
  return new Map([...after].map(([name, amount]) => {
    const difference = amount.sub(before.get(name) ?? Quantity.zero);
    return [name, difference.sign < 0 ? Quantity.zero : difference];
  }));
}

function charge(state: QuotaState, a: AdmissionAttributes, usage: Usage): QuotaState {
  const requested = [...usage].filter(([name, amount]) => amount.sign !== 0 && state.hard.has(name));
  if (requested.length === 0) return state;
  const used = new Map(state.used);
  for (const [name, amount] of requested) used.set(name, (used.get(name) ?? Quantity.zero).add(amount));
  if (a.subresource !== 'status') {
    const exceeded = requested.map(([name]) => name).filter((name) => used.get(name)!.compare(state.hard.get(name)!) > 0).sort();
    if (exceeded.length > 0) {
      const list = (amounts: Usage): string => exceeded.filter((name) => amounts.has(name)).map((name) => `${name}=${amounts.get(name)!}`).join(',');
      throw refusal(a, `exceeded quota: ${state.quota.metadata?.name ?? ''}, requested: ${list(usage)}, used: ${list(state.used)}, limited: ${list(state.hard)}`);
    }
  }
  return { ...state, used };
}
