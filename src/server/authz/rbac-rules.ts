import type { V1PolicyRule } from '../../api/generated/types.js';
import type { AuthorizationAttributes } from './authorizer.js';

const has = (values: readonly string[] | undefined, wanted: string): boolean => values !== undefined && (values.includes(wanted) || values.includes('*'));

/** Whether one rule allows a request. */
export function ruleAllows(rule: V1PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return pathMatches(rule.nonResourceURLs, attributes.path);
  return (
    has(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  );
}

function resourceMatches(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (resources === undefined) return false;
  if (subresource === '') return has(resources, resource);
  return has(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** `*` at the end of a rule's path stands for any rest. */
export function pathMatches(paths: readonly string[] | undefined, path: string): boolean {
  return paths !== undefined && paths.some((pattern) => pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''))));
}
