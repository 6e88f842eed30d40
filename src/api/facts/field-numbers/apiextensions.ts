/** Field numbers in protobuf of the types of `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1`; the notation is explained in index.ts. */
export const apiextensions: Readonly<Record<string, string>> = {
  CustomResourceColumnDefinition: 'name type format description priority jsonPath',
  CustomResourceConversion: 'strategy webhook',
  CustomResourceDefinition: 'metadata spec status',
  CustomResourceDefinitionCondition: 'type status lastTransitionTime reason message observedGeneration',
  CustomResourceDefinitionList: 'metadata items',
  CustomResourceDefinitionNames: 'plural singular shortNames kind listKind categories',
  CustomResourceDefinitionSpec: 'group names:3 scope versions:7 conversion:9 preserveUnknownFields',
  CustomResourceDefinitionStatus: 'conditions acceptedNames storedVersions observedGeneration',
  CustomResourceDefinitionVersion: 'name served storage schema subresources additionalPrinterColumns deprecated deprecationWarning selectableFields',
  CustomResourceSubresourceScale: 'specReplicasPath statusReplicasPath labelSelectorPath',
  CustomResourceSubresources: 'status scale',
  CustomResourceValidation: 'openAPIV3Schema',
  ExternalDocumentation: 'description url',
  JSONSchemaProps: `
    id $schema $ref description type format title default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems
    minItems uniqueItems multipleOf enum maxProperties minProperties required items allOf oneOf anyOf not properties additionalProperties
    patternProperties dependencies additionalItems definitions externalDocs example nullable x-kubernetes-preserve-unknown-fields
    x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type
    x-kubernetes-validations
  `,
  SelectableField: 'jsonPath',
  ServiceReference: 'namespace name path port',
  ValidationRule: 'rule message messageExpression reason fieldPath optionalOldSelf',
  WebhookClientConfig: 'service caBundle url',
  WebhookConversion: 'clientConfig:2 conversionReviewVersions',
};
