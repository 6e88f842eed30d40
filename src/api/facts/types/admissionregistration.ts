import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.admissionregistration.v1`. */
export const admissionregistration: PackageFacts = {
  package: 'io.k8s.api.admissionregistration.v1',
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plain: `
    ApplyConfiguration AuditAnnotation ExpressionWarning JSONPatch MatchCondition MutatingAdmissionPolicyBindingList
    MutatingAdmissionPolicyBindingSpec MutatingAdmissionPolicyList MutatingWebhookConfigurationList ValidatingAdmissionPolicyBindingList
    ValidatingAdmissionPolicyList ValidatingWebhookConfigurationList
  `,
  types: {
    MatchResources: '@atomic; resourceRules +atomic; excludeResourceRules +atomic; matchPolicy* MatchPolicyType',
    MutatingAdmissionPolicy: 'spec=',
    MutatingAdmissionPolicyBinding: 'spec=',
    MutatingAdmissionPolicySpec: `
      variables +atomic; mutations +atomic; failurePolicy* FailurePolicyType; matchConditions +map(name)+merge(name);
      reinvocationPolicy ReinvocationPolicyType
    `,
    MutatingWebhook: `
      rules +atomic; failurePolicy* FailurePolicyType; matchPolicy* MatchPolicyType; sideEffects* SideEffectClass; timeoutSeconds*;
      admissionReviewVersions +atomic; reinvocationPolicy* ReinvocationPolicyType; matchConditions +map(name)+merge(name)
    `,
    MutatingWebhookConfiguration: 'webhooks +map(name)+merge(name)',
    Mutation: 'patchType PatchType',
    NamedRuleWithOperations: `
      @atomic; resourceNames +atomic; operations []OperationType +atomic; apiGroups +atomic; apiVersions +atomic; resources +atomic;
      scope* ScopeType; ^RuleWithOperations(operations); ^RuleWithOperations.Rule(apiGroups apiVersions resources scope)
    `,
    ParamKind: '@atomic',
    ParamRef: '@atomic; parameterNotFoundAction* ParameterNotFoundActionType',
    RuleWithOperations: `
      operations []OperationType +atomic; apiGroups +atomic; apiVersions +atomic; resources +atomic; scope* ScopeType;
      ^Rule(apiGroups apiVersions resources scope)
    `,
    ServiceReference: 'path*; port*',
    TypeChecking: 'expressionWarnings +atomic',
    ValidatingAdmissionPolicy: 'spec=; status=',
    ValidatingAdmissionPolicyBinding: 'spec?',
    ValidatingAdmissionPolicyBindingSpec: 'policyName?; validationActions? []ValidationAction +set',
    ValidatingAdmissionPolicySpec: `
      validations +atomic; failurePolicy* FailurePolicyType; auditAnnotations +atomic; matchConditions +map(name)+merge(name);
      variables +map(name)+merge(name)
    `,
    ValidatingAdmissionPolicyStatus: 'conditions +map(type)',
    ValidatingWebhook: `
      rules +atomic; failurePolicy* FailurePolicyType; matchPolicy* MatchPolicyType; sideEffects* SideEffectClass; timeoutSeconds*;
      admissionReviewVersions +atomic; matchConditions +map(name)+merge(name)
    `,
    ValidatingWebhookConfiguration: 'webhooks +map(name)+merge(name)',
    Validation: 'reason* StatusReason',
    Variable: '@atomic',
    WebhookClientConfig: 'url*',
  },
  enums: {
    FailurePolicyType: 'Fail|Ignore',
    MatchPolicyType: 'Equivalent|Exact',
    OperationType: '*|CONNECT|CREATE|DELETE|UPDATE',
    PatchType: 'ApplyConfiguration|JSONPatch',
    ReinvocationPolicyType: 'IfNeeded|Never',
    ScopeType: '*|Cluster|Namespaced',
    SideEffectClass: 'None|NoneOnDryRun|Some|Unknown',
    ValidationAction: 'Audit|Deny|Warn',
  },
};
