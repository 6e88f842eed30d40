import type {
  V2CrossVersionObjectReference, V2HPAScalingRules, V2HorizontalPodAutoscaler, V2HorizontalPodAutoscalerSpec, V2MetricSpec, V2MetricTarget,
} from '../generated/types.js';
import { quantityOf, validateNonnegativeQuantity } from '../core/validation/quantities.js';
import { validateContainerResourceName } from '../core/validation/resource-names.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { parseApiVersion } from '../meta/object.js';
import { dns1123Label, pathSegmentName } from '../meta/validation/names.js';
import { validateNonnegative } from '../meta/validation/numbers.js';

const SPEC = FieldPath.of('spec');
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type SourceName = (typeof SOURCES)[number];
const TYPE_OF: Readonly<Record<string, SourceName>> = {
  Object: 'object', External: 'external', Pods: 'pods', Resource: 'resource', ContainerResource: 'containerResource',
};
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** Rules of an autoscaler; `old` is the stored one on update. */
export function validateAutoscaler(object: V2HorizontalPodAutoscaler, old?: V2HorizontalPodAutoscaler): FieldError[] {
  const errors: FieldError[] = [];
  const spec = object.spec ?? ({} as V2HorizontalPodAutoscalerSpec);
  // Scaling to zero is behind a gate that is off.
  const lowest = old?.spec?.minReplicas === 0 ? 0 : 1;
  const { minReplicas, maxReplicas = 0 } = spec;
  const maxPath = SPEC.child('maxReplicas');
  if (minReplicas !== undefined && minReplicas < lowest) errors.push(invalid(SPEC.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`));
  if (maxReplicas === 0) errors.push(required(maxPath, 'must be set and greater than 0'));
  else if (maxReplicas < 0) errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  const target = spec.scaleTargetRef;
  const sameTarget = old !== undefined && old.spec?.scaleTargetRef?.apiVersion === target?.apiVersion && old.spec?.scaleTargetRef?.kind === target?.kind;
  checkReference(target, sameTarget ? 'any' : target?.kind === 'ReplicationController' ? 'core too' : 'with group', SPEC.child('scaleTargetRef'), errors);
  checkMetrics(spec, SPEC.child('metrics'), errors);
  checkScalingRules(spec.behavior?.scaleUp, SPEC.child('behavior', 'scaleUp'), errors);
  checkScalingRules(spec.behavior?.scaleDown, SPEC.child('behavior', 'scaleDown'), errors);
  return errors;
}

export function validateAutoscalerStatusUpdate({ status }: V2HorizontalPodAutoscaler): FieldError[] {
  return (['currentReplicas', 'desiredReplicas'] as const).flatMap((field) => validateNonnegative(status?.[field], FieldPath.of('status', field)));
}

function checkReference(ref: V2CrossVersionObjectReference | undefined, versions: 'any' | 'core too' | 'with group', path: FieldPath, errors: FieldError[]): void {
  for (const field of ['kind', 'name'] as const) {
    const value = ref?.[field];
    if (!value) errors.push(required(path.child(field)));
    else for (const message of pathSegmentName(value)) errors.push(invalid(path.child(field), value, message));
  }
  if (versions === 'any') return;
  const apiVersion = ref?.apiVersion ?? '';
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) errors.push(invalid(path.child('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else if (versions === 'with group' && parsed.group === '') errors.push(invalid(path.child('apiVersion'), apiVersion, 'apiVersion must specify API group'));
}

function checkMetrics(spec: V2HorizontalPodAutoscalerSpec, path: FieldPath, errors: FieldError[]): void {
  const metrics = spec.metrics ?? [];
  metrics.forEach((metric, i) => checkMetric(metric, path.index(i), errors));
  if (spec.minReplicas === 0 && !metrics.some((metric) => metric.type === 'Object' || metric.type === 'External')) {
    errors.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'));
  }
}

function checkMetric(metric: V2MetricSpec, path: FieldPath, errors: FieldError[]): void {
  const type = metric.type ?? '';
  const types = Object.keys(TYPE_OF);
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric source type'));
  const expected = Object.hasOwn(TYPE_OF, type) ? TYPE_OF[type] : undefined;
  if (expected === undefined) errors.push(notSupported(path.child('type'), type, types));
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  const [first] = present;
  if (first !== undefined) checkSource(metric, first, path.child(first), errors);
  if (expected === undefined) errors.push(notSupported(path.child('type'), type, types));
  else if (metric[expected] === undefined) errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  if (present.length === 1) return;
  for (const source of present) if (source !== expected) errors.push(forbidden(path.child(source), 'must populate the given metric source only'));
}

function checkSource(metric: V2MetricSpec, source: SourceName, path: FieldPath, errors: FieldError[]): void {
  const target = metric[source]!.target;
  if (source === 'object') checkReference(metric.object!.describedObject, 'core too', path.child('describedObject'), errors);
  if (source === 'object' || source === 'external' || source === 'pods') {
    const name = metric[source]!.metric?.name;
    const at = path.child('metric', 'name');
    if (!name) errors.push(required(at, 'must specify a metric name'));
    else for (const message of pathSegmentName(name)) errors.push(invalid(at, name, message));
  } else {
    const { name } = metric[source]!;
    if (!name) errors.push(required(path.child('name'), 'must specify a resource name'));
    else if (source === 'containerResource') errors.push(...validateContainerResourceName(name, path.child('name')));
  }
  if (source === 'containerResource') {
    const { container } = metric.containerResource!;
    if (!container) errors.push(required(path.child('container'), 'must specify a container'));
    else for (const message of dns1123Label(container)) errors.push(invalid(path.child('container'), container, message));
  }
  const at = path.child('target');
  checkTarget(target, at, errors);
  const { value, averageValue, averageUtilization } = target ?? {};
  switch (source) {
    case 'object':
      if (value === undefined && averageValue === undefined) errors.push(required(at.child('averageValue'), 'must set either a target value or averageValue'));
      break;
    case 'external':
      if (value === undefined && averageValue === undefined) errors.push(required(at.child('averageValue'), 'must set either a target value for metric or a per-pod target'));
      if (value !== undefined && averageValue !== undefined) errors.push(forbidden(at.child('value'), 'may not set both a target value for metric and a per-pod target'));
      break;
    case 'pods':
      if (averageValue === undefined) errors.push(required(at.child('averageValue'), 'must specify a positive target averageValue'));
      break;
    default:
      if (averageUtilization === undefined && averageValue === undefined) {
        errors.push(required(at.child('averageUtilization'), 'must set either a target raw value or a target utilization'));
      }
      if (averageUtilization !== undefined && averageValue !== undefined) {
        errors.push(forbidden(at.child('averageValue'), 'may not set both a target raw value and a target utilization'));
      }
  }
}

function checkTarget(target: V2MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  const type = target?.type ?? '';
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) errors.push(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  for (const field of ['value', 'averageValue'] as const) {
    const text = target?.[field];
    if (text !== undefined && quantityOf(text).sign <= 0) errors.push(invalid(path.child(field), quantityOf(text).toString(), 'must be positive'));
  }
  const utilization = target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) errors.push(invalid(path.child('averageUtilization'), utilization, 'must be greater than 0'));
}

function checkScalingRules(rules: V2HPAScalingRules | undefined, path: FieldPath, errors: FieldError[]): void {
  if (rules === undefined) return;
  const window = rules.stabilizationWindowSeconds ?? 0;
  const windowPath = path.child('stabilizationWindowSeconds');
  if (window < 0) errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'));
  if (window > MAX_WINDOW_SECONDS) errors.push(invalid(windowPath, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  const select = rules.selectPolicy;
  if (select !== undefined && !['Disabled', 'Max', 'Min'].includes(select)) errors.push(notSupported(path.child('selectPolicy'), select, ['Disabled', 'Max', 'Min']));
  const policies = rules.policies ?? [];
  if (policies.length === 0) errors.push(required(path.child('policies'), 'must specify at least one Policy'));
  policies.forEach((policy, i) => {
    const at = path.child('policies').index(i);
    const { type = '', value = 0, periodSeconds = 0 } = policy;
    if (type !== 'Pods' && type !== 'Percent') errors.push(notSupported(at.child('type'), type, ['Percent', 'Pods']));
    if (value <= 0) errors.push(invalid(at.child('value'), value, 'must be greater than zero'));
    if (periodSeconds <= 0) errors.push(invalid(at.child('periodSeconds'), periodSeconds, 'must be greater than zero'));
    if (periodSeconds > MAX_PERIOD_SECONDS) errors.push(invalid(at.child('periodSeconds'), periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  });
  if (rules.tolerance !== undefined) errors.push(...validateNonnegativeQuantity(rules.tolerance, path.child('tolerance')));
}
