import type { V1ResourceQuota, V1ResourceQuotaSpec, V1ScopedResourceSelectorRequirement } from '../generated/types.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { canonicalizeResourceList, quantityOf, validateResourceQuantity, type ResourceList } from './validation/quantities.js';
import { isStandardQuotaResource, validateQuotaResourceName } from './validation/resource-names.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const POD_SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort'];
const EXISTS_ONLY = [...POD_SCOPES, 'CrossNamespacePodAffinity'];
const SCOPES = [...EXISTS_ONLY, 'PriorityClass', 'VolumeAttributesClass'];
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const CONFLICTING = [['BestEffort', 'NotBestEffort'], ['Terminating', 'NotTerminating']] as const;

export const resourceQuota = defineKind<V1ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  tracksGeneration: false,
  defaults: (draft) => {
    draft.spec ??= {};
    draft.status ??= {};
    for (const list of [draft.spec.hard, draft.status.hard, draft.status.used]) canonicalizeResourceList(list);
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object) => validateSpec(object.spec ?? {}),
  validateUpdate: (object, old) => {
    const errors = validateSpec(object.spec ?? {});
    const scopes = new Set(object.spec?.scopes ?? []);
    const before = new Set(old.spec?.scopes ?? []);
    if (scopes.size !== before.size || [...scopes].some((scope) => !before.has(scope))) {
      errors.push(invalid(SPEC.child('scopes'), object.spec?.scopes, IMMUTABLE_MESSAGE));
    }
    return errors;
  },
  warnings: (object, old) => (old === undefined ? requestWarnings(object.spec?.hard ?? {}) : []),
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => restore(draft, old, 'spec'),
      validateUpdate: (object) => [
        ...validateAmounts(object.status?.hard, STATUS.child('hard')),
        ...validateAmounts(object.status?.used, STATUS.child('used')),
      ],
    },
  },
  columns: [
    NAME,
    text('Request', (object) => usageText(object, false)),
    text('Limit', (object) => usageText(object, true)),
    AGE,
  ],
});

function validateAmounts(list: ResourceList | undefined, path: FieldPath): FieldError[] {
  return Object.entries(list ?? {}).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, path.key(name)),
    ...validateResourceQuantity(name, amount, path.key(name)),
  ]);
}

function validateSpec(spec: V1ResourceQuotaSpec): FieldError[] {
  return [...validateAmounts(spec.hard, SPEC.child('hard')), ...validateScopes(spec), ...validateScopeSelector(spec)];
}

/** Standard resources that the scope says nothing about. */
function unsupportedResources(spec: V1ResourceQuotaSpec, scope: string): string[] {
  return Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaResource(name) && !scopeFits(scope, name));
}

function scopeFits(scope: string, resource: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return resource === 'pods';
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return resource === 'pods' || COMPUTE.includes(resource);
    case 'VolumeAttributesClass':
      return resource === 'persistentvolumeclaims' || resource === 'requests.storage';
    default:
      return true;
  }
}

function validateScopes(spec: V1ResourceQuotaSpec): FieldError[] {
  const scopes = spec.scopes ?? [];
  const path = SPEC.child('scopes');
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalid(path, scopes, 'unsupported scope'));
    for (let i = unsupportedResources(spec, scope).length; i > 0; i--) errors.push(invalid(path, scopes, 'unsupported scope applied to resource'));
  }
  return [...errors, ...validateConflicts(scopes, path, scopes)];
}

function validateConflicts(scopes: readonly string[], path: FieldPath, shown: readonly string[] | undefined): FieldError[] {
  return CONFLICTING.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => invalid(path, shown, 'conflicting scopes'));
}

function validateScopeSelector(spec: V1ResourceQuotaSpec): FieldError[] {
  if (spec.scopeSelector === undefined) return [];
  const expressions = spec.scopeSelector.matchExpressions ?? [];
  const path = SPEC.child('scopeSelector', 'matchExpressions');
  return [
    ...expressions.flatMap((requirement) => validateScopeRequirement(spec, requirement, path)),
    ...validateConflicts(expressions.map(({ scopeName }) => scopeName), path, spec.scopes),
  ];
}

function validateScopeRequirement(spec: V1ResourceQuotaSpec, requirement: V1ScopedResourceSelectorRequirement, path: FieldPath): FieldError[] {
  const { scopeName = '', operator = '', values = [] } = requirement;
  const errors: FieldError[] = [];
  if (!SCOPES.includes(scopeName)) errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'));
  for (let i = unsupportedResources(spec, scopeName).length; i > 0; i--) {
    const shown = { MatchExpressions: (spec.scopeSelector?.matchExpressions ?? []).map((item) => ({ ScopeName: item.scopeName, Operator: item.operator, Values: item.values ?? null })) };
    errors.push(invalid(path, shown, 'unsupported scope applied to resource'));
  }
  if (EXISTS_ONLY.includes(scopeName) && operator !== 'Exists') {
    errors.push(invalid(path.child('operator'), operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"));
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(path.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.push(invalid(path.child('values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
  } else errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  return errors;
}

function requestWarnings(hard: ResourceList): string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const measured = name === 'cpu' || name === 'memory';
    const requestName = hard[`requests.${name}`] === undefined && measured ? name : `requests.${name}`;
    const limitName = `limits.${name}`;
    const request = hard[requestName];
    const limit = hard[limitName];
    if (request === undefined || limit === undefined || quantityOf(request).compare(quantityOf(limit)) <= 0) return [];
    return [`ResourceQuota ${requestName} (${quantityOf(request)}) should be less than ${limitName} (${quantityOf(limit)})`];
  });
}

function usageText(object: V1ResourceQuota, limits: boolean): string {
  const { hard = {}, used = {} } = object.status ?? {};
  return Object.keys(hard).filter((name) => name.startsWith('limits.') === limits).sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name]}`).join(', ');
}
