import type { CoreV1Event } from '../generated/types.js';
import { goForm } from '../helpers/go-form.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE, validateImmutable } from '../meta/validation/immutable.js';
import { validateLabelName } from '../meta/validation/labels.js';
import { byteLength } from '../meta/validation/messages.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import type { StrategyContext } from '../scheme/kind.js';
import { validateDnsSubdomain } from './validation/names.js';

const path = (field: string): FieldPath => FieldPath.of(field);

/** Fields that `events.k8s.io/v1` lets nobody change, by their names in the hub and in upstream's errors. */
const IMMUTABLE: readonly (readonly [keyof CoreV1Event, string])[] = [
  ['involvedObject', 'involvedObject'], ['reason', 'reason'], ['message', 'message'], ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'], ['lastTimestamp', 'lastTimestamp'], ['count', 'count'], ['reason', 'reason'], ['type', 'type'],
  ['eventTime', 'eventTime'], ['action', 'action'], ['related', 'related'],
  ['reportingComponent', 'reportingController'], ['reportingInstance', 'reportingInstance'],
];

/** `v1` is lenient; `events.k8s.io/v1` wants the new fields and refuses the old ones. */
export function validateEventCreate(object: CoreV1Event, context: StrategyContext): FieldError[] {
  const errors = validateCommon(object, context);
  if (!isNewApi(context)) return errors;
  errors.push(...validateBuiltInMeta(object.metadata, { namespaced: true }));
  errors.push(...validateSeries(object));
  if (!object.eventTime) errors.push(required(path('eventTime')));
  if (object.type !== 'Normal' && object.type !== 'Warning') errors.push(invalid(path('type'), '', `has invalid value: ${object.type ?? ''}`));
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    if (object[field]) errors.push(invalid(path(field), '', 'needs to be unset'));
  }
  if (object.source?.component || object.source?.host) errors.push(invalid(path('source'), '', 'needs to be unset'));
  return errors;
}

export function validateEventUpdate(object: CoreV1Event, old: CoreV1Event, context: StrategyContext): FieldError[] {
  const errors = validateCommon(object, context);
  if (!isNewApi(context)) return errors;
  if (!deepEqual(object.series, old.series)) errors.push(...validateSeries(object));
  for (const [field, name] of IMMUTABLE) {
    if (field === 'involvedObject' || field === 'related') {
      const reference = object[field];
      if (!deepEqual({ [field]: reference }, { [field]: old[field] })) errors.push(invalid(path(name), reference && goForm(reference, 'ObjectReference'), IMMUTABLE_MESSAGE));
    } else if (field === 'eventTime' && !object.eventTime && old.eventTime) errors.push(invalid(path(name), null, IMMUTABLE_MESSAGE));
    else errors.push(...validateImmutable(object[field], old[field], path(name)));
  }
  return errors;
}

function isNewApi(context: StrategyContext): boolean {
  return context.apiVersion === 'events.k8s.io/v1';
}

function validateSeries(object: CoreV1Event): FieldError[] {
  if (object.series === undefined) return [];
  return [
    ...((object.series.count ?? 0) < 2 ? [invalid(path('series.count'), '', 'should be at least 2')] : []),
    ...(object.series.lastObservedTime ? [] : [required(path('series.lastObservedTime'))]),
  ];
}

function validateCommon(object: CoreV1Event, context: StrategyContext): FieldError[] {
  const namespace = object.metadata?.namespace ?? '';
  const involved = object.involvedObject?.namespace ?? '';
  const errors = object.eventTime ? validateNewFields(object, context) : [];
  const matches = involved !== ''
    ? Boolean(object.eventTime) || namespace === involved
    : namespace === 'default' || namespace === (object.eventTime ? 'kube-system' : '');
  if (!matches) errors.unshift(invalid(FieldPath.of('involvedObject', 'namespace'), involved, 'does not match event.namespace'));
  errors.push(...validateDnsSubdomain(namespace, path('namespace')));
  return errors;
}

/** Events with an `eventTime` come from the newer recorder. */
function validateNewFields(object: CoreV1Event, context: StrategyContext): FieldError[] {
  const controller = object.reportingComponent ?? '';
  const controllerPath = path(isNewApi(context) ? 'reportingController' : 'reportingComponent');
  const errors: FieldError[] = [];
  if (controller === '') errors.push(required(controllerPath));
  errors.push(...validateLabelName(controller, controllerPath));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = object[field] ?? '';
    if (value === '') errors.push(required(path(field)));
    if (byteLength(value) > 128) errors.push(invalid(path(field), '', 'can have at most 128 characters'));
  }
  if (byteLength(object.message ?? '') > 1024) errors.push(invalid(path('message'), '', 'can have at most 1024 characters'));
  return errors;
}
