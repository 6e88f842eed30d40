import type { Draft } from '../draft.js';
import type { V1MutatingWebhook, V1ValidatingWebhook } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import type { KubeObject } from '../meta/object.js';
import { validateEnum } from '../meta/validation/enums.js';
import { selectorHasInvalidLabelValue, validateLabelSelector } from '../meta/validation/label-selector.js';
import { validateFullyQualifiedName } from '../meta/validation/text.js';
import { validateMatchConditions } from './match-conditions.js';
import { validateRule } from './match-rules.js';
import { hasKnownReviewVersion, validateReviewVersions } from './review-versions.js';
import { validateWebhookClient } from './webhook-client.js';

type Webhook = V1ValidatingWebhook & Pick<V1MutatingWebhook, 'reinvocationPolicy'>;

const WEBHOOKS = FieldPath.of('webhooks');
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, 'Some', 'Unknown'];
const RESERVED_SUFFIX = '.static.k8s.io';

/** Rules that stored webhooks break already are not held against their update. */
interface WebhookOptions {
  readonly allowSideEffects: boolean;
  readonly allowUnknownVersions: boolean;
  readonly allowDuplicateNames: boolean;
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly sameConditions: boolean;
}

export function defaultWebhook(webhook: Draft<Webhook>): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (webhook.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
}

/** Rules of the webhooks of a configuration; `old` are the stored ones on update. */
export function validateWebhooks(webhooks: readonly Webhook[] | undefined, old: readonly Webhook[] | undefined): FieldError[] {
  const options = optionsFor(webhooks ?? [], old);
  const names = new Set<string>();
  return (webhooks ?? []).flatMap((webhook, i) => {
    const path = WEBHOOKS.index(i);
    const errors = [
      ...validateWebhook(webhook, path, options),
      ...validateReviewVersions(webhook.admissionReviewVersions, !options.allowUnknownVersions, path.child('admissionReviewVersions'), 'must specify one of v1, v1beta1'),
    ];
    if (webhook.name) {
      if (!options.allowDuplicateNames && names.has(webhook.name)) errors.push(duplicate(path.child('name'), webhook.name));
      names.add(webhook.name);
    }
    return errors;
  });
}

/** A warning for names that are kept for configurations from files. */
export function reservedNameWarnings(object: KubeObject): string[] {
  if (!object.metadata?.name?.endsWith(RESERVED_SUFFIX)) return [];
  return [`metadata.name: names ending with "${RESERVED_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`];
}

function optionsFor(webhooks: readonly Webhook[], old: readonly Webhook[] | undefined): WebhookOptions {
  const before = old ?? [];
  return {
    allowSideEffects: before.some(({ sideEffects }) => !NO_SIDE_EFFECTS.includes(sideEffects)),
    allowUnknownVersions: before.some(({ admissionReviewVersions: versions = [] }) => versions.length > 0 && !hasKnownReviewVersion(versions)),
    allowDuplicateNames: new Set(before.map(({ name }) => name)).size < before.length,
    allowInvalidLabelValueInSelector: before.some(({ namespaceSelector, objectSelector }) =>
      selectorHasInvalidLabelValue(namespaceSelector) || selectorHasInvalidLabelValue(objectSelector)),
    sameConditions: old !== undefined && webhooks.length === before.length && webhooks.every((webhook, i) => deepEqual(webhook.matchConditions, before[i]!.matchConditions)),
  };
}

function validateWebhook(webhook: Webhook, path: FieldPath, options: WebhookOptions): FieldError[] {
  const { timeoutSeconds: seconds, sideEffects, reinvocationPolicy } = webhook;
  const effects = options.allowSideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  const errors = validateFullyQualifiedName(webhook.name ?? '', path.child('name'));
  (webhook.rules ?? []).forEach((rule, i) => errors.push(...validateRule(rule, path.child('rules').index(i))));
  if (webhook.failurePolicy !== undefined) errors.push(...validateEnum(webhook.failurePolicy, ['Fail', 'Ignore'], path.child('failurePolicy')));
  if (webhook.matchPolicy !== undefined) errors.push(...validateEnum(webhook.matchPolicy, ['Equivalent', 'Exact'], path.child('matchPolicy')));
  if (sideEffects === undefined) errors.push(required(path.child('sideEffects'), `must specify one of ${effects.join(', ')}`));
  else if (!effects.includes(sideEffects)) errors.push(notSupported(path.child('sideEffects'), sideEffects, effects));
  if (seconds !== undefined && (seconds > 30 || seconds < 1)) errors.push(invalid(path.child('timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds'));
  for (const field of ['namespaceSelector', 'objectSelector'] as const) errors.push(...validateLabelSelector(webhook[field], path.child(field), options));
  if (reinvocationPolicy !== undefined) errors.push(...validateEnum(reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy')));
  errors.push(...validateWebhookClient(webhook.clientConfig ?? {}, path.child('clientConfig')));
  if (!options.sameConditions) errors.push(...validateMatchConditions(webhook.matchConditions, path.child('matchConditions')));
  return errors;
}
