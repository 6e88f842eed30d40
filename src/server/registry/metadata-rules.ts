import type { FieldError } from '../../api/meta/field-error.js';
import { nameIsPathSegment } from '../../api/meta/validation/names.js';
import { validateBuiltInMeta, validateBuiltInMetaUpdate, validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/validation/object-meta.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ServedResource } from '../../api/scheme/scheme.js';

/** Built-in kinds whose finalizers need not be standard ones or have a domain. */
const FREE_FINALIZERS: ReadonlySet<string> = new Set([
  'apiregistration.k8s.io/APIService', 'apiextensions.k8s.io/CustomResourceDefinition', '/Event', 'coordination.k8s.io/Lease', 'policy/PodDisruptionBudget',
  'node.k8s.io/RuntimeClass', 'admissionregistration.k8s.io/MutatingWebhookConfiguration', 'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
]);

/** What is wrong with the metadata of a new object, as its kind sees it. */
export function createErrors(resource: ServedResource, object: KubeObject): FieldError[] {
  const { definition, facts } = resource;
  const rules = { namespaced: facts.namespaced, ...(definition.validateName ? { validateName: definition.validateName } : {}) };
  return hasFreeFinalizers(resource) ? validateObjectMeta(object.metadata, rules) : validateBuiltInMeta(object.metadata, rules);
}

/** What is wrong with the metadata of any object that is stored; asked only when its kind has no objection. */
export function commonErrors(resource: ServedResource, object: KubeObject): FieldError[] {
  return validateObjectMeta(object.metadata, { namespaced: resource.facts.namespaced, validateName: nameIsPathSegment });
}

/** What is wrong with the metadata of a changed object. Upstream looks at some of it several times, and the causes show it. */
export function updateErrors(resource: ServedResource, object: KubeObject, old: KubeObject): FieldError[] {
  const common = commonErrors(resource, object);
  if (!hasFreeFinalizers(resource)) return [...common, ...validateBuiltInMetaUpdate(object.metadata, old.metadata)];
  const once = validateObjectMetaUpdate(object.metadata, old.metadata);
  return [...common, ...once, ...once];
}

function hasFreeFinalizers({ hub, custom }: ServedResource): boolean {
  return custom !== undefined || FREE_FINALIZERS.has(`${hub.group}/${hub.kind}`);
}
