import type { V1ResourceQuota, V1ScopedResourceSelectorRequirement } from '../../api/generated/types.js';
import { quotaScopes, type QuotaEvaluator, type Usage } from '../../api/helpers/quota.js';
import type { KubeObject } from '../../api/meta/object.js';
import { plainError } from '../../api/status-error.js';
import type { LimitedResource } from './config/resource-quota.js';
import type { AdmissionAttributes } from './plugin.js';
import { refusal } from './refuse.js';

/**
 * Refuses what the configuration allows only where a quota covers it, unless one does. `covered`: the names that the quotas of the object
 * limit; `quotas`: all of the namespace.
 */
export function requireCover(limited: readonly LimitedResource[], a: AdmissionAttributes, evaluator: QuotaEvaluator, usage: Usage, covered: ReadonlySet<string>, quotas: readonly V1ResourceQuota[]): void {
  const names = limitedNames(limited, a, usage).filter((name) => !covered.has(name));
  if (names.length > 0) throw refusal(a, `insufficient quota to consume: ${names.join(',')}`);
  const scopes = uncoveredScopes(limited, a.object!, evaluator, quotas);
  if (scopes.length > 0) throw plainError(`insufficient quota to match these scopes: [${scopes.map(scopeText).join(' ')}]`);
}

/** The limited names of what the object uses, sorted. */
function limitedNames(limited: readonly LimitedResource[], a: AdmissionAttributes, usage: Usage): string[] {
  const parts = limited.filter(({ apiGroup, resource }) => apiGroup === a.resource.group && resource === a.resource.resource).flatMap(({ matchContains }) => matchContains);
  return [...usage].filter(([name, amount]) => amount.sign > 0 && parts.some((part) => name.includes(part))).map(([name]) => name).sort();
}

/** Scopes that the object is in and that no quota is about. Upstream asks for them whatever resource the configuration gives them for. */
function uncoveredScopes(limited: readonly LimitedResource[], object: KubeObject, evaluator: QuotaEvaluator, quotas: readonly V1ResourceQuota[]): V1ScopedResourceSelectorRequirement[] {
  const matching = limited.flatMap(({ matchScopes }) => matchScopes).filter((scope) => evaluator.matchesScope(scope, object));
  if (matching.length === 0) return [];
  const covered = new Set(quotas.flatMap((quota) => quotaScopes(quota)).filter((scope) => evaluator.matchesScope(scope, object)).map(({ scopeName }) => scopeName));
  return matching.filter(({ scopeName }) => !covered.has(scopeName));
}

const scopeText = ({ scopeName, operator, values }: V1ScopedResourceSelectorRequirement): string => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`;
