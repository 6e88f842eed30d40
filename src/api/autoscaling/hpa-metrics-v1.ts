import type { V1LabelSelector, V2CrossVersionObjectReference, V2MetricSpec, V2MetricStatus, V2MetricTarget, V2MetricValueStatus } from '../generated/types.js';
import { quantityOf } from '../core/validation/quantities.js';

/** Metrics as autoscaling/v1 writes them into annotations: flat, in the wording of the first alpha. */
export interface V1Metric {
  readonly type: string;
  readonly object?: V1Source;
  readonly pods?: V1Source;
  readonly resource?: V1Source;
  readonly containerResource?: V1Source;
  readonly external?: V1Source;
}

/** All fields that some source has. */
interface V1Source {
  readonly target?: V2CrossVersionObjectReference;
  readonly name?: string;
  readonly container?: string;
  readonly metricName?: string;
  readonly selector?: V1LabelSelector;
  readonly metricSelector?: V1LabelSelector;
  readonly targetValue?: string;
  readonly averageValue?: string;
  readonly targetAverageValue?: string;
  readonly targetAverageUtilization?: number;
  readonly currentValue?: string;
  readonly currentAverageValue?: string;
  readonly currentAverageUtilization?: number;
}

/** The metric that v1 has a field of its own for. */
export function isCpuUtilization(metric: V2MetricSpec): boolean {
  return metric.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.target?.averageUtilization !== undefined;
}

export function specToV1(metric: V2MetricSpec): V1Metric {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      target: object.describedObject, metricName: object.metric?.name, targetValue: object.target?.value ?? '0',
      selector: object.metric?.selector, averageValue: object.target?.averageValue,
    },
    pods: pods && { metricName: pods.metric?.name, targetAverageValue: pods.target?.averageValue ?? '0', selector: pods.metric?.selector },
    resource: resource && {
      name: resource.name, targetAverageUtilization: resource.target?.averageUtilization, targetAverageValue: resource.target?.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name, targetAverageUtilization: containerResource.target?.averageUtilization,
      targetAverageValue: containerResource.target?.averageValue, container: containerResource.container,
    },
    external: external && {
      metricName: external.metric?.name, metricSelector: external.metric?.selector, targetValue: external.target?.value, targetAverageValue: external.target?.averageValue,
    },
  });
}

export function specFromV1(metric: V1Metric): V2MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  const resourceTarget = (source: V1Source): V2MetricTarget => ({
    type: source.targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue: source.targetAverageValue,
    averageUtilization: source.targetAverageUtilization,
  });
  return compact({
    type: metric.type,
    object: object && {
      describedObject: object.target ?? { kind: '', name: '' },
      metric: { name: object.metricName ?? '', selector: object.selector },
      target: {
        type: object.averageValue === undefined ? 'Value' : 'AverageValue',
        value: object.averageValue === undefined || !quantityOf(object.targetValue).isZero ? (object.targetValue ?? '0') : undefined,
        averageValue: object.averageValue,
      },
    },
    pods: pods && { metric: { name: pods.metricName ?? '', selector: pods.selector }, target: { type: 'AverageValue', averageValue: pods.targetAverageValue ?? '0' } },
    resource: resource && { name: resource.name ?? '', target: resourceTarget(resource) },
    containerResource: containerResource && { name: containerResource.name ?? '', container: containerResource.container ?? '', target: resourceTarget(containerResource) },
    external: external && {
      metric: { name: external.metricName ?? '', selector: external.metricSelector },
      target: { type: external.targetValue === undefined ? 'AverageValue' : 'Value', value: external.targetValue, averageValue: external.targetAverageValue },
    },
  });
}

export function statusToV1(metric: V2MetricStatus): V1Metric {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      target: object.describedObject, metricName: object.metric?.name, currentValue: object.current?.value ?? '0',
      selector: object.metric?.selector, averageValue: object.current?.averageValue,
    },
    pods: pods && { metricName: pods.metric?.name, currentAverageValue: pods.current?.averageValue ?? '0', selector: pods.metric?.selector },
    resource: resource && {
      name: resource.name, currentAverageUtilization: resource.current?.averageUtilization, currentAverageValue: resource.current?.averageValue ?? '0',
    },
    containerResource: containerResource && {
      name: containerResource.name, currentAverageUtilization: containerResource.current?.averageUtilization,
      currentAverageValue: containerResource.current?.averageValue ?? '0', container: containerResource.container,
    },
    external: external && {
      metricName: external.metric?.name, metricSelector: external.metric?.selector, currentValue: external.current?.value ?? '0',
      currentAverageValue: external.current?.averageValue,
    },
  });
}

export function statusFromV1(metric: V1Metric): V2MetricStatus {
  const { object, pods, resource, containerResource, external } = metric;
  const resourceCurrent = (source: V1Source): V2MetricValueStatus => ({
    averageValue: source.currentAverageValue ?? '0',
    averageUtilization: source.currentAverageUtilization,
  });
  return compact({
    type: metric.type,
    object: object && {
      describedObject: object.target ?? { kind: '', name: '' },
      metric: { name: object.metricName ?? '', selector: object.selector },
      current: { value: object.currentValue ?? '0', averageValue: object.averageValue },
    },
    pods: pods && { metric: { name: pods.metricName ?? '', selector: pods.selector }, current: { averageValue: pods.currentAverageValue ?? '0' } },
    resource: resource && { name: resource.name ?? '', current: resourceCurrent(resource) },
    containerResource: containerResource && { name: containerResource.name ?? '', container: containerResource.container ?? '', current: resourceCurrent(containerResource) },
    external: external && {
      metric: { name: external.metricName ?? '', selector: external.metricSelector },
      current: { value: external.currentValue ?? '0', averageValue: external.currentAverageValue },
    },
  });
}

/** The value without fields that are undefined, at every depth. */
function compact<T extends object>(value: T): T {
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    result[key] = typeof item === 'object' && item !== null && !Array.isArray(item) ? compact(item as object) : item;
  }
  return result as T;
}
