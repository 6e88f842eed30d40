/** Field numbers in protobuf of the types of `io.k8s.api.admissionregistration.v1`; the notation is explained in index.ts. */
export const admissionregistration: Readonly<Record<string, string>> = {
  ApplyConfiguration: 'expression',
  AuditAnnotation: 'key valueExpression',
  ExpressionWarning: 'fieldRef:2 warning',
  JSONPatch: 'expression',
  MatchCondition: 'name expression',
  MatchResources: 'namespaceSelector objectSelector resourceRules excludeResourceRules matchPolicy:7',
  MutatingAdmissionPolicy: 'metadata spec',
  MutatingAdmissionPolicyBinding: 'metadata spec',
  MutatingAdmissionPolicyBindingList: 'metadata items',
  MutatingAdmissionPolicyBindingSpec: 'policyName paramRef matchResources',
  MutatingAdmissionPolicyList: 'metadata items',
  MutatingAdmissionPolicySpec: 'paramKind matchConstraints variables mutations failurePolicy matchConditions reinvocationPolicy',
  MutatingWebhook: `
    name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds admissionReviewVersions matchPolicy reinvocationPolicy
    objectSelector matchConditions
  `,
  MutatingWebhookConfiguration: 'metadata webhooks',
  MutatingWebhookConfigurationList: 'metadata items',
  Mutation: 'patchType:2 applyConfiguration jsonPatch',
  NamedRuleWithOperations: 'resourceNames ^RuleWithOperations(operations ^Rule(apiGroups apiVersions resources scope))',
  ParamKind: 'apiVersion kind',
  ParamRef: 'name namespace selector parameterNotFoundAction',
  RuleWithOperations: 'operations ^Rule(apiGroups apiVersions resources scope)',
  ServiceReference: 'namespace name path port',
  TypeChecking: 'expressionWarnings',
  ValidatingAdmissionPolicy: 'metadata spec status',
  ValidatingAdmissionPolicyBinding: 'metadata spec',
  ValidatingAdmissionPolicyBindingList: 'metadata items',
  ValidatingAdmissionPolicyBindingSpec: 'policyName paramRef matchResources validationActions',
  ValidatingAdmissionPolicyList: 'metadata items',
  ValidatingAdmissionPolicySpec: 'paramKind matchConstraints validations failurePolicy auditAnnotations matchConditions variables',
  ValidatingAdmissionPolicyStatus: 'observedGeneration typeChecking conditions',
  ValidatingWebhook: `
    name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds admissionReviewVersions matchPolicy objectSelector
    matchConditions
  `,
  ValidatingWebhookConfiguration: 'metadata webhooks',
  ValidatingWebhookConfigurationList: 'metadata items',
  Validation: 'expression message reason messageExpression',
  Variable: 'name expression',
  WebhookClientConfig: 'service caBundle url',
};
