import type { FlowcontrolV1Subject, V1NonResourcePolicyRule, V1PolicyRulesWithSubjects, V1ResourcePolicyRule, V1ServiceAccountSubject } from '../generated/types.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1123Label } from '../meta/validation/names.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
/** The field that belongs to each kind of subject. */
const SUBJECT_FIELDS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

type SubjectKind = keyof typeof SUBJECT_FIELDS;

/** Who and what a flow schema is about. */
export function validateFlowRule(rule: V1PolicyRulesWithSubjects, path: FieldPath): FieldError[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  const errors: FieldError[] = [];
  if (subjects.length === 0) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  subjects.forEach((subject, i) => errors.push(...validateSubject(subject, path.child('subjects').index(i))));
  if (resourceRules.length + nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  resourceRules.forEach((item, i) => errors.push(...validateResourceRule(item, path.child('resourceRules').index(i))));
  nonResourceRules.forEach((item, i) => errors.push(...validateNonResourceRule(item, path.child('nonResourceRules').index(i))));
  return errors;
}

function validateSubject(subject: FlowcontrolV1Subject, path: FieldPath): FieldError[] {
  const kind = subject.kind ?? '';
  if (!isSubjectKind(kind)) return [notSupported(path.child('kind'), kind, Object.keys(SUBJECT_FIELDS))];
  const errors = validateOwnField(subject, kind, path);
  for (const other of ['ServiceAccount', 'User', 'Group'] as const) {
    const field = SUBJECT_FIELDS[other];
    if (other !== kind && subject[field] !== undefined) errors.push(forbidden(path.child(field), `${field} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

function isSubjectKind(kind: string): kind is SubjectKind {
  return Object.hasOwn(SUBJECT_FIELDS, kind);
}

function validateOwnField(subject: FlowcontrolV1Subject, kind: SubjectKind, path: FieldPath): FieldError[] {
  const field = SUBJECT_FIELDS[kind];
  const value = subject[field];
  const at = path.child(field);
  if (value === undefined) return [required(at, `${field} is required when subject kind is '${kind}'`)];
  if (kind === 'ServiceAccount') return validateServiceAccount(value as V1ServiceAccountSubject, at);
  return value.name ? [] : [required(at.child('name'))];
}

function validateServiceAccount(account: V1ServiceAccountSubject, path: FieldPath): FieldError[] {
  const { name = '', namespace = '' } = account;
  const nameErrors = name === '' ? [required(path.child('name'))] : name === '*' ? [] : validateDnsSubdomain(name, path.child('name'));
  const namespacePath = path.child('namespace');
  return [...nameErrors, ...(namespace === '' ? [required(namespacePath, 'must specify namespace for service account')] : validateDnsLabel(namespace, namespacePath))];
}

function validateVerbs(verbs: readonly string[], path: FieldPath): FieldError[] {
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return verbs.length > 1 ? [invalid(path, verbs, "if '*' is present, must not specify other verbs")] : [];
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(path, verbs, VERBS)];
}

function validateResourceRule(rule: V1ResourcePolicyRule, path: FieldPath): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  const alone = (values: readonly string[], field: string, others: string): FieldError[] =>
    values.length > 1 && values.includes('*') ? [invalid(path.child(field), values, `if '*' is present, must not specify other ${others}`)] : [];
  const errors = validateVerbs(verbs, path.child('verbs'));
  if (apiGroups.length === 0) errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  errors.push(...alone(apiGroups, 'apiGroups', 'api groups'));
  if (resources.length === 0) errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  errors.push(...alone(resources, 'resources', 'resources'));
  if (namespaces.length === 0 && !clusterScope) {
    errors.push(required(path.child('namespaces'), 'resource rules that are not cluster scoped must supply at least one namespace'));
  } else if (namespaces.includes('*')) errors.push(...alone(namespaces, 'namespaces', 'namespaces'));
  else namespaces.forEach((namespace, i) => {
    for (const message of dns1123Label(namespace)) {
      errors.push(invalid(path.child('namespaces').index(i), namespace, `each member of this list must be '*' or a DNS-1123 label; ${message}`));
    }
  });
  return errors;
}

function validateNonResourceRule(rule: V1NonResourcePolicyRule, path: FieldPath): FieldError[] {
  const { verbs = [], nonResourceURLs: urls = [] } = rule;
  const at = path.child('nonResourceURLs');
  const errors = validateVerbs(verbs, path.child('verbs'));
  if (urls.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'));
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.push(invalid(at, urls, "if '*' is present, must not specify other non-resource URLs"));
  } else urls.forEach((url, i) => {
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalid(at.index(i), url, problem));
  });
  return errors;
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
