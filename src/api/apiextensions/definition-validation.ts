import type { Steps } from '../../base/steps.js';
import type { V1CustomResourceConversion, V1CustomResourceDefinition, V1CustomResourceDefinitionSpec, V1CustomResourceDefinitionVersion } from '../generated/types.js';
import { hasKnownReviewVersion, validateReviewVersions } from '../admissionregistration/review-versions.js';
import { validateWebhookClient } from '../admissionregistration/webhook-client.js';
import { isConditionTrue } from '../helpers/conditions.js';
import { forbidden, invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { dns1123Subdomain } from '../meta/validation/names.js';
import { validateDefinitionNames } from './definition-names.js';
import { validateVersions } from './definition-versions.js';
import { hasDefaults } from './schema-places.js';

type Definition = V1CustomResourceDefinition;

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const APPROVED = 'api-approved.kubernetes.io';

/** Rules of a new definition, step by step: schemas may be big. */
export function* validateDefinition(object: Definition): Generator<void, FieldError[]> {
  const { spec } = object;
  const name = object.metadata?.name ?? '';
  const errors: FieldError[] = [];
  const prefix = object.metadata?.generateName ?? '';
  const wanted = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`;
  const wrongName = 'must be spec.names.plural+"."+spec.group';
  if (prefix !== '' && prefix !== wanted) errors.push(invalid(FieldPath.of('metadata', 'generateName'), prefix, wrongName));
  if (name !== '' && name !== wanted) errors.push(invalid(FieldPath.of('metadata', 'name'), name, wrongName));
  return [...errors, ...yield* validateSpec(spec, undefined, true, true), ...validateStatus(object), ...validateApproval(object, undefined), ...validatePreserving(object, undefined)];
}

/** Rules of a change, step by step. What the schemas were allowed before they are allowed again. */
export function* validateDefinitionUpdate(object: Definition, old: Definition): Generator<void, FieldError[]> {
  const known = old.spec?.conversion?.webhook?.conversionReviewVersions ?? [];
  // What has not changed was found to be right.
  const generation = object.metadata?.generation;
  const checks = generation === undefined || generation !== old.metadata?.generation;
  const errors = yield* validateSpec(object.spec, old.spec, checks, known.length === 0 || hasKnownReviewVersion(known));
  if (isConditionTrue(old.status?.conditions, 'Established')) {
    errors.push(...validateImmutable(object.spec?.scope, old.spec?.scope, SPEC.child('scope')));
    errors.push(...validateImmutable(object.spec?.names?.kind, old.spec?.names?.kind, SPEC.child('names', 'kind')));
  }
  errors.push(...validateImmutable(object.spec?.group, old.spec?.group, SPEC.child('group')));
  errors.push(...validateImmutable(object.spec?.names?.plural, old.spec?.names?.plural, SPEC.child('names', 'plural')));
  return [...errors, ...validateStatus(object), ...validateApproval(object, old), ...validatePreserving(object, old)];
}

export function validateDefinitionStatus(object: Definition): FieldError[] {
  return validateDefinitionNames(object.status?.acceptedNames, STATUS.child('acceptedNames'));
}

function* validateSpec(spec: V1CustomResourceDefinitionSpec | undefined, old: V1CustomResourceDefinitionSpec | undefined, checksVersions: boolean, requireKnownReviewVersion: boolean): Generator<void, FieldError[]> {
  const { group = '', scope = '', names, conversion } = spec ?? {};
  let errors: FieldError[] = [];
  const wrongGroup = dns1123Subdomain(group);
  if (group === '') errors.push(required(SPEC.child('group')));
  else if (wrongGroup.length > 0) errors.push(invalid(SPEC.child('group'), group, wrongGroup.join(',')));
  else if (!group.includes('.')) errors.push(invalid(SPEC.child('group'), group, 'should be a domain with at least one dot'));
  if (spec?.preserveUnknownFields && (yield* anyHasDefaults(spec.versions ?? []))) {
    errors.push(invalid(SPEC.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'));
  }
  errors.push(...validateChoice(scope, ['Cluster', 'Namespaced'], SPEC.child('scope')));
  // There may be more errors than a call can have arguments.
  if (checksVersions) errors = [...errors, ...yield* validateVersions(spec?.versions, SPEC, old?.versions, spec?.preserveUnknownFields === true)];
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names?.[field]) errors.push(required(SPEC.child('names', field)));
  }
  errors.push(...validateDefinitionNames(names, SPEC.child('names')));
  return [...errors, ...validateConversion(conversion, requireKnownReviewVersion)];
}

function* anyHasDefaults(versions: readonly V1CustomResourceDefinitionVersion[]): Steps<boolean> {
  for (const { schema } of versions) if (schema?.openAPIV3Schema && (yield* hasDefaults(schema.openAPIV3Schema))) return true;
  return false;
}

function validateChoice(value: string, choices: readonly string[], path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  return choices.includes(value) ? [] : [notSupportedInOrder(path, value, choices)];
}

/** Paths are those of upstream's older form, which has the webhook's fields in `conversion` itself. */
function validateConversion(conversion: V1CustomResourceConversion | undefined, requireKnown: boolean): FieldError[] {
  if (conversion === undefined) return [];
  const path = SPEC.child('conversion');
  const { strategy = '', webhook } = conversion;
  const errors = validateChoice(strategy, ['None', 'Webhook'], path.child('strategy'));
  const clientPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const onlyForWebhook = 'should not be set when strategy is not set to Webhook';
    if (webhook?.clientConfig !== undefined) errors.push(forbidden(clientPath, onlyForWebhook));
    if ((webhook?.conversionReviewVersions?.length ?? 0) > 0) errors.push(forbidden(versionsPath, onlyForWebhook));
    return errors;
  }
  if (webhook?.clientConfig === undefined) errors.push(required(clientPath, 'required when strategy is set to Webhook'));
  else errors.push(...validateWebhookClient(webhook.clientConfig, clientPath));
  return [...errors, ...validateReviewVersions(webhook?.conversionReviewVersions, requireKnown, versionsPath)];
}

function validateStatus(object: Definition): FieldError[] {
  const stored = object.status?.storedVersions ?? [];
  const path = STATUS.child('storedVersions');
  const errors = validateDefinitionNames(object.status?.acceptedNames, STATUS.child('acceptedNames'));
  if (stored.length === 0) return [...errors, invalid(path, object.status?.storedVersions, 'must have at least one stored version')];
  const versions = object.spec?.versions ?? [];
  const names = new Set(versions.map(({ name }) => name));
  for (const { name, storage } of versions) if (storage && !stored.includes(name)) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, i) => {
    if (names.has(name)) return;
    errors.push(invalid(path.index(i), name, `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`));
  });
  return errors;
}

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

function approvalOf(object: Definition): Approval {
  const annotation = object.metadata?.annotations?.[APPROVED] ?? '';
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.test(annotation) ? 'approved' : 'invalid';
}

/** Groups of the Kubernetes community need a word of approval. */
function validateApproval(object: Definition, old: Definition | undefined): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(object.spec?.group ?? '')) return [];
  const state = approvalOf(object);
  if (old !== undefined && approvalOf(old) === state) return [];
  const path = FieldPath.of('metadata', 'annotations').key(APPROVED);
  const reference = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (state === 'missing') return [required(path, `protected groups must have approval annotation "${APPROVED}", ${reference}`)];
  if (state !== 'invalid') return [];
  const detail = `protected groups must have approval annotation "${APPROVED}" with either a URL or a reason starting with "unapproved", ${reference}`;
  return [invalid(path, object.metadata?.annotations?.[APPROVED], detail)];
}

function validatePreserving(object: Definition, old: Definition | undefined): FieldError[] {
  if (object.spec?.preserveUnknownFields !== true || old?.spec?.preserveUnknownFields === true) return [];
  const detail = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(SPEC.child('preserveUnknownFields'), true, detail)];
}
