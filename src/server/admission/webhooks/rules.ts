import type { V1RuleWithOperations } from '../../../api/generated/types.js';
import type { GroupVersionKind, GroupVersionResource } from '../../../api/meta/object.js';
import type { AdmissionOperation } from '../plugin.js';

/** What a rule is asked about. */
export interface RuleSubject {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** The request has a namespace; that of a namespace is itself. */
  readonly namespaced: boolean;
}

/** Whether a webhook's rule is about a request. */
export function ruleMatches(rule: V1RuleWithOperations, subject: RuleSubject): boolean {
  const { group, version } = subject.resource;
  return (
    scopeMatches(rule.scope, subject) && holds(rule.operations, subject.operation) && holds(rule.apiGroups, group) && holds(rule.apiVersions, version) &&
    (rule.resources ?? []).some((entry) => resourceMatches(entry, subject))
  );
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding',
]);

/** Configurations of admission are no business of webhooks: whoever locks themselves out must be able to mend it. */
export function isExempt(kind: GroupVersionKind): boolean {
  return kind.group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(kind.kind);
}

function holds(values: readonly string[] | undefined, wanted: string): boolean {
  return values !== undefined && (values.includes('*') || values.includes(wanted));
}

function scopeMatches(scope: string | undefined, { resource, namespaced }: RuleSubject): boolean {
  const isNamespace = resource.group === '' && resource.version === 'v1' && resource.resource === 'namespaces';
  switch (scope) {
    case undefined:
    case '*':
      return true;
    case 'Namespaced':
      return namespaced && !isNamespace;
    case 'Cluster':
      return !namespaced || isNamespace;
    default:
      return false;
  }
}

/** `pods`, `pods/status`, `pods/*`, `*\/status`, `*` (no subresources), `*\/*`. */
function resourceMatches(entry: string, { resource, subresource }: RuleSubject): boolean {
  const slash = entry.indexOf('/');
  const name = slash < 0 ? entry : entry.slice(0, slash);
  const sub = slash < 0 ? '' : entry.slice(slash + 1);
  return (name === '*' || name === resource.resource) && (sub === '*' || sub === subresource);
}
