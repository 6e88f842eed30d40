import type {
  V1HorizontalPodAutoscaler, V1HorizontalPodAutoscalerStatus, V2HPAScalingRules, V2HorizontalPodAutoscaler, V2HorizontalPodAutoscalerBehavior,
  V2HorizontalPodAutoscalerStatus, V2MetricSpec,
} from '../generated/types.js';
import type { KindConversion } from '../scheme/kind.js';
import { isCpuUtilization, specFromV1, specToV1, statusFromV1, statusToV1, type V1Metric } from './hpa-metrics-v1.js';

/** Where autoscaling/v1 carries what it has no fields for. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CARRIED = [
  METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR,
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance', 'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

/** The percentage of cpu that is aimed at when nothing is said. */
export const DEFAULT_CPU_UTILIZATION = 80;

/** A metric that aims at this share of the requested cpu. */
export function cpuMetric(averageUtilization: number): V2MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

/** The annotations without those that carry fields of v2. */
export function withoutCarried(annotations: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  if (annotations === undefined || !CARRIED.some((key) => annotations[key] !== undefined)) return annotations;
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !CARRIED.includes(key)));
}

export const fromV1: KindConversion = {
  defaults: (draft) => {
    const { spec } = draft as { spec?: { minReplicas?: number } };
    if (spec) spec.minReplicas ??= 1;
  },
  toHub: (object) => toV2(object as V1HorizontalPodAutoscaler),
  fromHub: (object) => toV1(object as V2HorizontalPodAutoscaler),
};

function toV2(object: V1HorizontalPodAutoscaler): V2HorizontalPodAutoscaler {
  const annotations = object.metadata?.annotations ?? {};
  const { targetCPUUtilizationPercentage: target, ...rest } = object.spec ?? { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } };
  const others = read<V1Metric[]>(annotations[METRICS]);
  let metrics = [...(Array.isArray(others) ? others.map(specFromV1) : []), ...(target === undefined ? [] : [cpuMetric(target)])];
  if (metrics.length === 0) metrics = [cpuMetric(DEFAULT_CPU_UTILIZATION)];
  const behavior = readBehavior(annotations[BEHAVIOR]);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    ...(object.metadata === undefined ? {} : { metadata: withAnnotations(object.metadata, withoutCarried(object.metadata.annotations)) }),
    spec: { ...rest, metrics, ...(behavior === undefined ? {} : { behavior }) },
    ...(object.status === undefined ? {} : { status: statusToV2(object.status, annotations) }),
  } as V2HorizontalPodAutoscaler;
}

function statusToV2(status: V1HorizontalPodAutoscalerStatus, annotations: Readonly<Record<string, string>>): V2HorizontalPodAutoscalerStatus {
  const { currentCPUUtilizationPercentage: utilization, ...rest } = status;
  const carried = read<V1Metric[]>(annotations[CURRENT_METRICS]);
  const conditions = read<V2HorizontalPodAutoscalerStatus['conditions']>(annotations[CONDITIONS]);
  const currentMetrics = Array.isArray(carried)
    ? carried.map(statusFromV1)
    : utilization === undefined ? undefined : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
  return { ...rest, ...(currentMetrics === undefined ? {} : { currentMetrics }), ...(Array.isArray(conditions) ? { conditions } : {}) };
}

function toV1(object: V2HorizontalPodAutoscaler): V1HorizontalPodAutoscaler {
  const { metrics = [], behavior, ...rest } = object.spec ?? { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } };
  const cpu = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  const added: Record<string, string> = {};
  const others = metrics.filter((metric) => !isCpuUtilization(metric)).map(specToV1);
  if (others.length > 0) added[METRICS] = JSON.stringify(others);
  const currentMetrics = object.status?.currentMetrics ?? [];
  if (currentMetrics.length > 0) added[CURRENT_METRICS] = JSON.stringify(currentMetrics.map(statusToV1));
  if (behavior) added[BEHAVIOR] = JSON.stringify({ ScaleUp: rulesText(behavior.scaleUp), ScaleDown: rulesText(behavior.scaleDown) });
  const conditions = object.status?.conditions ?? [];
  if (conditions.length > 0) added[CONDITIONS] = JSON.stringify(conditions);
  const own = withoutCarried(object.metadata?.annotations);
  const annotations = Object.keys(added).length > 0 ? { ...own, ...added } : own;
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    ...(object.metadata === undefined && annotations === undefined ? {} : { metadata: withAnnotations(object.metadata ?? {}, annotations) }),
    spec: { ...rest, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    ...(object.status === undefined ? {} : { status: statusToV1Status(object.status) }),
  } as V1HorizontalPodAutoscaler;
}

function statusToV1Status(status: V2HorizontalPodAutoscalerStatus): V1HorizontalPodAutoscalerStatus {
  const { currentMetrics, conditions: _conditions, currentReplicas = 0, ...rest } = status;
  const utilization = currentMetrics?.findLast((metric) => metric.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.current?.averageUtilization !== undefined)
    ?.resource?.current.averageUtilization;
  return { ...rest, currentReplicas, ...(utilization === undefined ? {} : { currentCPUUtilizationPercentage: utilization }) };
}

function withAnnotations<T extends { readonly annotations?: Readonly<Record<string, string>> }>(meta: T, annotations: Readonly<Record<string, string>> | undefined): T {
  if (annotations === meta.annotations) return meta;
  const { annotations: _annotations, ...rest } = meta;
  return (annotations === undefined || Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }) as T;
}

/** The behaviour as upstream's memory has it, capitals and all: that is what it writes. */
function rulesText(rules: V2HPAScalingRules | undefined): object | null {
  if (!rules) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: rules.policies?.map((policy) => ({ Type: policy.type, Value: policy.value, PeriodSeconds: policy.periodSeconds })) ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Reads the behaviour whatever the case of its field names. */
function readBehavior(text: string | undefined): V2HorizontalPodAutoscalerBehavior | undefined {
  const value = lowerKeys(read<unknown>(text)) as V2HorizontalPodAutoscalerBehavior | undefined;
  if (typeof value !== 'object' || (!value.scaleUp && !value.scaleDown)) return undefined;
  return value;
}

function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key.charAt(0).toLowerCase() + key.slice(1), lowerKeys(item)]));
}

/** The JSON of an annotation; text that is none is as good as absent. */
function read<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
