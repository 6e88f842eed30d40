import type { V1FlowSchemaSpec, V1PolicyRulesWithSubjects, V1PriorityLevelConfigurationSpec } from '../generated/types.js';

/** Objects of flow control that every cluster has, whose spec may not be changed. */
function everything(...groups: readonly string[]): V1PolicyRulesWithSubjects {
  return {
    subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}

export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, V1FlowSchemaSpec> = new Map([
  ['exempt', { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [everything('system:masters')] }],
  ['catch-all', {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [everything('system:unauthenticated', 'system:authenticated')],
  }],
]);

export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, V1PriorityLevelConfigurationSpec> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ['catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }],
]);
