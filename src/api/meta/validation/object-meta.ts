import type { V1ObjectMeta } from '../../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { validateFinalizers, validateKubeFinalizers, validateNoNewFinalizers } from './finalizers.js';
import { validateImmutable } from './immutable.js';
import { validateAnnotations, validateLabels } from './labels.js';
import { validateManagedFields } from './managed-fields.js';
import { dns1123Label, nameIsDnsSubdomain, type NameRule } from './names.js';
import { validateNonnegative } from './numbers.js';
import { validateOwnerReferences } from './owner-references.js';

/**
 * Rules of `metadata`. The registry calls them for every object, kinds do not (but for kinds whose update repeats the rules of
 * a creation, as upstream's answer shows their causes again):
 * - built-in kinds: `validateBuiltInMeta` and then the kind's `validate` on create, `validateBuiltInMetaUpdate` and then the
 *   kind's `validateUpdate` (or its subresource's) on update;
 * - custom resources: `validateObjectMeta` and `validateObjectMetaUpdate`.
 */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Rule of `name` and `generateName`; default DNS-1123 subdomain. */
  readonly validateName?: NameRule;
  /** Default `metadata`. */
  readonly path?: FieldPath;
}

const METADATA = FieldPath.of('metadata');

/** Rules of a new object's metadata; `name` must be there already when there is a `generateName`. */
export function validateObjectMeta(meta: V1ObjectMeta | undefined, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? METADATA;
  const nameRule = rules.validateName ?? nameIsDnsSubdomain;
  const errors: FieldError[] = [];
  if (meta?.generateName) {
    for (const message of nameRule(meta.generateName, true)) errors.push(invalid(path.child('generateName'), meta.generateName, message));
  }
  if (!meta?.name) errors.push(required(path.child('name'), 'name or generateName is required'));
  else for (const message of nameRule(meta.name, false)) errors.push(invalid(path.child('name'), meta.name, message));
  if (rules.namespaced) {
    if (!meta?.namespace) errors.push(required(path.child('namespace')));
    else for (const message of dns1123Label(meta.namespace)) errors.push(invalid(path.child('namespace'), meta.namespace, message));
  } else if (meta?.namespace) errors.push(forbidden(path.child('namespace'), 'not allowed on this type'));
  if (meta === undefined) return errors;
  if (meta.generation !== undefined) errors.push(...validateNonnegative(meta.generation, path.child('generation')));
  if (meta.labels !== undefined) errors.push(...validateLabels(meta.labels, path.child('labels')));
  if (meta.annotations !== undefined) errors.push(...validateAnnotations(meta.annotations, path.child('annotations')));
  if (meta.ownerReferences !== undefined) errors.push(...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')));
  if (meta.finalizers !== undefined) errors.push(...validateFinalizers(meta.finalizers, path.child('finalizers')));
  if (meta.managedFields !== undefined) errors.push(...validateManagedFields(meta.managedFields, path.child('managedFields')));
  return errors;
}

/** Rules of a change of metadata. `meta` must have its resourceVersion. */
export function validateObjectMetaUpdate(meta: V1ObjectMeta | undefined, old: V1ObjectMeta | undefined, path = METADATA): FieldError[] {
  const errors: FieldError[] = [];
  if (old?.deletionTimestamp) errors.push(...validateNoNewFinalizers(meta?.finalizers, old.finalizers, path.child('finalizers')));
  if (!meta?.resourceVersion) errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  if ((meta?.generation ?? 0) < (old?.generation ?? 0)) errors.push(invalid(path.child('generation'), meta?.generation ?? 0, 'must not be decremented'));
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (meta?.[field] !== old?.[field]) errors.push(...validateImmutable(meta?.[field], old?.[field], path.child(field)));
  }
  if (meta === undefined) return errors;
  if (meta.labels !== undefined) errors.push(...validateLabels(meta.labels, path.child('labels')));
  if (meta.annotations !== undefined) errors.push(...validateAnnotations(meta.annotations, path.child('annotations')));
  if (meta.ownerReferences !== undefined) errors.push(...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')));
  if (meta.managedFields !== undefined) errors.push(...validateManagedFields(meta.managedFields, path.child('managedFields')));
  return errors;
}

/** {@link validateObjectMeta} for built-in kinds, whose finalizers must be standard or have a domain. */
export function validateBuiltInMeta(meta: V1ObjectMeta | undefined, rules: ObjectMetaRules): FieldError[] {
  const errors = validateObjectMeta(meta, rules);
  if (meta?.finalizers !== undefined) errors.push(...validateKubeFinalizers(meta.finalizers, (rules.path ?? METADATA).child('finalizers')));
  return errors;
}

/** All that upstream reports about the metadata of an updated built-in object: the rules of a change twice (once generically, once by the kind). */
export function validateBuiltInMetaUpdate(meta: V1ObjectMeta | undefined, old: V1ObjectMeta | undefined): FieldError[] {
  const once = validateObjectMetaUpdate(meta, old);
  const errors = once.length === 0 ? once : [...once, ...once];
  if (meta?.finalizers !== undefined) errors.push(...validateKubeFinalizers(meta.finalizers, METADATA.child('finalizers')));
  return errors;
}
