import type { Draft } from '../draft.js';
import type { V1MatchResources, V1ParamKind, V1ParamRef, V1Variable } from '../generated/types.js';
import { validateDnsSubdomain, validatePathSegment } from '../core/validation/names.js';
import { forbidden, invalid, notSupported, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateLabelSelector } from '../meta/validation/label-selector.js';
import { dns1035Label, dns1123Subdomain } from '../meta/validation/names.js';
import { LabelSelector } from '../selectors/label-selector.js';
import { validateNamedRule } from './match-rules.js';

/** What admission policies and their bindings have in common, validating and mutating ones. */
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const CEL_IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const CEL_RESERVED = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package',
  'namespace', 'return', 'var', 'void', 'while',
]);

export function defaultMatchResources(match: Draft<V1MatchResources> | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

export function validateFailurePolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  return policy === undefined ? [required(path)] : validateEnum(policy, ['Fail', 'Ignore'], path);
}

export function validateMatchResources(match: V1MatchResources | undefined, path: FieldPath): FieldError[] {
  if (match === undefined) return [];
  const errors: FieldError[] = [];
  if (match.matchPolicy === undefined) errors.push(required(path.child('matchPolicy')));
  else errors.push(...validateEnum(match.matchPolicy, ['Equivalent', 'Exact'], path.child('matchPolicy')));
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[field] === undefined) errors.push(required(path.child(field)));
    else errors.push(...validateLabelSelector(match[field], path.child(field)));
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const) {
    (match[field] ?? []).forEach((rule, i) => errors.push(...validateNamedRule(rule, path.child(field).index(i))));
  }
  return errors;
}

/** What a policy is for; it must name resources. */
export function validateMatchConstraints(match: V1MatchResources | undefined, path: FieldPath): FieldError[] {
  if (match === undefined) return [required(path)];
  return [...validateMatchResources(match, path), ...((match.resourceRules?.length ?? 0) === 0 ? [required(path.child('resourceRules'))] : [])];
}

/** Mutating policies do not see deletions. */
export function validateMutatingOperations(match: V1MatchResources | undefined, path: FieldPath): FieldError[] {
  return (match?.resourceRules ?? []).flatMap((rule) => (rule.operations ?? []).filter((operation) => !MUTATING_OPERATIONS.includes(operation)))
    .map((operation) => notSupported(path.child('resourceRules', 'operations'), operation, MUTATING_OPERATIONS));
}

export function validateParamKind(kind: V1ParamKind | undefined, path: FieldPath): FieldError[] {
  if (kind === undefined) return [];
  const at = path.child('apiVersion');
  const { apiVersion = '', kind: name = '' } = kind;
  const errors: FieldError[] = [];
  const slashes = apiVersion.split('/').length - 1;
  if (apiVersion === '') errors.push(required(at));
  else if (slashes > 1) errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const [group, version] = apiVersion === '/' ? ['', ''] : slashes === 0 ? ['', apiVersion] : (apiVersion.split('/') as [string, string]);
    const wrongGroup = group === '' ? [] : dns1123Subdomain(group);
    if (wrongGroup.length > 0) errors.push(invalid(at, group, wrongGroup.join(',')));
    const wrongVersion = dns1035Label(version);
    if (version === '') errors.push(invalid(at, apiVersion, 'version must be specified'));
    else if (wrongVersion.length > 0) errors.push(invalid(at, version, wrongVersion.join(',')));
  }
  const wrongKind = dns1035Label(name.toLowerCase());
  if (name === '') errors.push(required(path.child('kind')));
  else if (wrongKind.length > 0) errors.push(invalid(path.child('kind'), name, `may have mixed case, but should otherwise match: ${wrongKind.join(',')}`));
  return errors;
}

export function validateVariables(variables: readonly V1Variable[] | undefined, path: FieldPath): FieldError[] {
  return (variables ?? []).flatMap(({ name = '', expression = '' }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'));
    else if (!CEL_IDENTIFIER.test(name) || CEL_RESERVED.has(name)) errors.push(invalid(at.child('name'), name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') errors.push(required(at.child('expression'), 'expression is not specified'));
    return errors;
  });
}

/** The name of the policy that a binding binds. */
export function validatePolicyName(name: string | undefined, path: FieldPath): FieldError[] {
  return name ? validateDnsSubdomain(name, path) : [required(path)];
}

export function validateParamRef(ref: V1ParamRef | undefined, path: FieldPath): FieldError[] {
  if (ref === undefined) return [];
  const { name = '', selector, parameterNotFoundAction: action } = ref;
  const exclusive = 'name and selector are mutually exclusive';
  const errors: FieldError[] = name === '' ? [] : validatePathSegment(name, path.child('name'));
  if (name !== '' && selector !== undefined) errors.push(forbidden(path.child('name'), exclusive));
  errors.push(...validateLabelSelector(selector, path.child('selector')));
  if (name !== '' && selector !== undefined) errors.push(forbidden(path.child('selector'), exclusive));
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  if (!action) errors.push(required(path.child('parameterNotFoundAction')));
  else if (action !== 'Deny' && action !== 'Allow') errors.push(notSupportedInOrder(path.child('parameterNotFoundAction'), action, ['Deny', 'Allow']));
  return errors;
}

/** Kind of the parameters, for tables. */
export function paramKindText(kind: V1ParamKind | undefined): string {
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`;
}

/** Object or selector of the parameters, for tables. */
export function paramRefText(ref: V1ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`;
  return ref?.selector === undefined ? '<unset>' : LabelSelector.fromObject(ref.selector).toString();
}
