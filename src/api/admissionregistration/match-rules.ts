import type { V1NamedRuleWithOperations, V1RuleWithOperations } from '../generated/types.js';
import { validatePathSegment } from '../core/validation/names.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Rules of what a webhook or policy is called for: operations, groups, versions, resources, scope. */
export function validateRule(rule: V1RuleWithOperations, path: FieldPath): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors: FieldError[] = [];
  const wildcardAlone = (values: readonly string[], field: string, others: string): void => {
    if (values.length === 0) errors.push(required(path.child(field)));
    if (values.length > 1 && values.includes('*')) errors.push(invalid(path.child(field), values, `if '*' is present, must not specify other ${others}`));
  };
  wildcardAlone(operations, 'operations', 'operations');
  operations.forEach((operation, i) => {
    if (!OPERATIONS.includes(operation)) errors.push(notSupported(path.child('operations').index(i), operation, OPERATIONS));
  });
  wildcardAlone(apiGroups, 'apiGroups', 'API groups');
  wildcardAlone(apiVersions, 'apiVersions', 'API versions');
  apiVersions.forEach((version, i) => {
    if (version === '') errors.push(required(path.child('apiVersions').index(i)));
  });
  errors.push(...validateResources(resources, path.child('resources')));
  if (scope !== undefined && !SCOPES.includes(scope)) errors.push(notSupported(path.child('scope'), scope, SCOPES));
  return errors;
}

/** A rule of a policy, which may also name objects. */
export function validateNamedRule(rule: V1NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  return [
    ...names.flatMap((name, i) => {
      const at = path.child('resourceNames').index(i);
      return [...validatePathSegment(name, at), ...(names.indexOf(name) < i ? [duplicate(at, name)] : [])];
    }),
    ...validateRule(rule, path),
  ];
}

/** `pods`, `pods/status`, `pods/*`, `*\/status`, `*`, `*\/*`; what a wildcard covers may not be named beside it. */
function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(path)] : [];
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  let plain = false;
  resources.forEach((entry, i) => {
    if (entry === '') {
      errors.push(required(path.index(i)));
      return;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      plain = entry !== '*';
      return;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    if (allOf.has(resource)) errors.push(invalid(path.index(i), entry, `if '${resource}/*' is present, must not specify ${entry}`));
    if (ofAll.has(subresource)) errors.push(invalid(path.index(i), entry, `if '*/${subresource}' is present, must not specify ${entry}`));
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*')) errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (plain && resources.includes('*')) errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}
