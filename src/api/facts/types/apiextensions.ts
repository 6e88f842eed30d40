import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1`. */
export const apiextensions: PackageFacts = {
  package: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plain: `
    CustomResourceColumnDefinition CustomResourceDefinitionList CustomResourceValidation ExternalDocumentation SelectableField
  `,
  types: {
    CustomResourceConversion: 'strategy ConversionStrategyType',
    CustomResourceDefinition: 'status=',
    CustomResourceDefinitionCondition: 'type CustomResourceDefinitionConditionType; status ConditionStatus; lastTransitionTime=',
    CustomResourceDefinitionNames: 'shortNames +atomic; categories +atomic',
    CustomResourceDefinitionSpec: 'scope ResourceScope; versions +atomic',
    CustomResourceDefinitionStatus: 'conditions! +map(type); acceptedNames=!; storedVersions! +atomic',
    CustomResourceDefinitionVersion: 'deprecationWarning*; additionalPrinterColumns +atomic; selectableFields +atomic',
    CustomResourceSubresourceScale: 'labelSelectorPath*',
    CustomResourceSubresources: 'status CustomResourceSubresourceStatus',
    JSONSchemaProps: `
      $schema JSONSchemaURL; $ref*; default JSON; maximum*; minimum*; maxLength*; minLength*; maxItems*; minItems*; multipleOf*;
      enum []JSON +atomic; maxProperties*; minProperties*; required +atomic; items JSONSchemaPropsOrArray; allOf +atomic; oneOf +atomic;
      anyOf +atomic; additionalProperties JSONSchemaPropsOrBool; dependencies JSONSchemaDependencies; additionalItems JSONSchemaPropsOrBool;
      definitions JSONSchemaDefinitions; example JSON; x-kubernetes-preserve-unknown-fields*; x-kubernetes-list-map-keys +atomic;
      x-kubernetes-list-type*; x-kubernetes-map-type*; x-kubernetes-validations ValidationRules +map(rule)+merge(rule)
    `,
    ServiceReference: 'path*; port*',
    ValidationRule: 'reason* FieldValueErrorReason; optionalOldSelf*',
    WebhookClientConfig: 'url*',
    WebhookConversion: 'conversionReviewVersions +atomic',
  },
  enums: {
    FieldValueErrorReason: 'FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired',
  },
};
