import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.flowcontrol.v1`. */
export const flowcontrol: PackageFacts = {
  package: 'io.k8s.api.flowcontrol.v1',
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  plain: `
    FlowSchemaList GroupSubject PriorityLevelConfigurationList PriorityLevelConfigurationReference ServiceAccountSubject UserSubject
  `,
  types: {
    ExemptPriorityLevelConfiguration: 'nominalConcurrencyShares*; lendablePercent*',
    FlowDistinguisherMethod: 'type FlowDistinguisherMethodType',
    FlowSchema: 'spec=; status=',
    FlowSchemaCondition: 'type FlowSchemaConditionType; status ConditionStatus; lastTransitionTime=',
    FlowSchemaSpec: 'matchingPrecedence!; rules +atomic',
    FlowSchemaStatus: 'conditions +map(type)+merge(type)',
    LimitResponse: '@union(type; queuing=Queuing); type LimitResponseType',
    LimitedPriorityLevelConfiguration: 'nominalConcurrencyShares*!; limitResponse=; lendablePercent*; borrowingLimitPercent*',
    NonResourcePolicyRule: 'verbs +set; nonResourceURLs +set',
    PolicyRulesWithSubjects: 'subjects +atomic; resourceRules +atomic; nonResourceRules +atomic',
    PriorityLevelConfiguration: 'spec=; status=',
    PriorityLevelConfigurationCondition: 'type PriorityLevelConfigurationConditionType; status ConditionStatus; lastTransitionTime=',
    PriorityLevelConfigurationSpec: '@union(type; exempt=Exempt limited=Limited); type PriorityLevelEnablement',
    PriorityLevelConfigurationStatus: 'conditions +map(type)+merge(type)',
    QueuingConfiguration: 'queues!; handSize!; queueLengthLimit!',
    ResourcePolicyRule: 'verbs +set; apiGroups +set; resources +set; namespaces! +set',
    Subject: '@union(kind; group=Group serviceAccount=ServiceAccount user=User); kind SubjectKind',
  },
};
