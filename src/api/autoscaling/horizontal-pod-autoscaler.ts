import type { Draft } from '../draft.js';
import type { V2HPAScalingRules, V2HorizontalPodAutoscaler, V2HorizontalPodAutoscalerSpec, V2MetricSpec, V2MetricStatus, V2MetricTarget } from '../generated/types.js';
import { canonicalQuantity } from '../quantity.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { cpuMetric, DEFAULT_CPU_UTILIZATION, fromV1, withoutCarried } from './hpa-conversion.js';
import { validateAutoscaler, validateAutoscalerStatusUpdate } from './hpa-validation.js';

/** How fast it scales up where nothing is said: by four pods or by as many as there are, whichever is more, every 15 seconds. */
const SCALE_UP: V2HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, { type: 'Percent', value: 100, periodSeconds: 15 }],
};
/** And down: to nothing at once; the window is the controller's. */
const SCALE_DOWN: V2HPAScalingRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function defaults(draft: Draft<V2HorizontalPodAutoscaler>): void {
  const spec = (draft.spec ??= {} as Draft<V2HorizontalPodAutoscalerSpec>);
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [structuredClone(cpuMetric(DEFAULT_CPU_UTILIZATION)) as Draft<V2MetricSpec>];
  for (const metric of spec.metrics) {
    for (const source of [metric.object, metric.pods, metric.resource, metric.containerResource, metric.external]) if (source?.target) canonicalTarget(source.target);
  }
  if (spec.behavior) {
    spec.behavior.scaleUp = withDefaults(spec.behavior.scaleUp, SCALE_UP);
    spec.behavior.scaleDown = withDefaults(spec.behavior.scaleDown, SCALE_DOWN);
  }
  draft.status ??= noStatus();
  dropCarried(draft);
}

function withDefaults(rules: Draft<V2HPAScalingRules> | undefined, base: V2HPAScalingRules): Draft<V2HPAScalingRules> {
  return { ...(structuredClone(base) as Draft<V2HPAScalingRules>), ...rules };
}

function canonicalTarget(target: Draft<V2MetricTarget>): void {
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target[field];
    if (amount === undefined) continue;
    try {
      target[field] = canonicalQuantity(amount);
    } catch {
      // The decoder is the one that refuses it.
    }
  }
}

/** The annotations of v1 mean nothing in v2. */
function dropCarried(draft: Draft<V2HorizontalPodAutoscaler>): void {
  const annotations = draft.metadata?.annotations;
  const kept = withoutCarried(annotations);
  if (kept !== annotations) draft.metadata!.annotations = { ...kept };
}

function noStatus(): NonNullable<Draft<V2HorizontalPodAutoscaler>['status']> {
  // The list is always written, and upstream writes its absence as null.
  return Object.assign({ desiredReplicas: 0 }, { currentMetrics: null as unknown as never[] });
}

/** `current/target` of the first two metrics, and how many more there are. */
function targetsText(object: V2HorizontalPodAutoscaler): string {
  const metrics = object.spec?.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const shown = metrics.slice(0, 2).map((metric, i) => metricText(metric, object.status?.currentMetrics?.[i])).join(', ');
  return metrics.length > 2 ? `${shown} + ${metrics.length - 2} more...` : shown;
}

function metricText(metric: V2MetricSpec, status: V2MetricStatus | undefined): string {
  const unknown = '<unknown>';
  switch (metric.type) {
    case 'External':
    case 'Object': {
      const target = (metric.external ?? metric.object)?.target;
      const current = (metric.type === 'External' ? status?.external : status?.object)?.current;
      if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
      return `${current?.value ?? unknown}/${target?.value ?? '<nil>'}`;
    }
    case 'Pods':
      return `${status?.pods?.current?.averageValue ?? unknown}/${metric.pods?.target?.averageValue ?? '<nil>'}`;
    case 'Resource':
    case 'ContainerResource': {
      const source = metric.type === 'Resource' ? metric.resource : metric.containerResource;
      const current = (metric.type === 'Resource' ? status?.resource : status?.containerResource)?.current;
      if (source?.target?.averageValue !== undefined) return `${source.name}: ${current?.averageValue ?? unknown}/${source.target.averageValue}`;
      const percent = (value: number | undefined, absent: string): string => (value === undefined ? absent : `${value}%`);
      return `${source?.name ?? ''}: ${percent(current?.averageUtilization, unknown)}/${percent(source?.target?.averageUtilization, '<auto>')}`;
    }
    default:
      return '<unknown type>';
  }
}

export const horizontalPodAutoscaler = defineKind<V2HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  tracksGeneration: false,
  defaults,
  prepareForCreate: (draft) => {
    draft.status = noStatus();
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object) => validateAutoscaler(object),
  validateUpdate: validateAutoscaler,
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateAutoscalerStatusUpdate } },
  conversions: { 'autoscaling/v1': fromV1 },
  columns: [
    NAME,
    text('Reference', (object) => `${object.spec?.scaleTargetRef?.kind ?? ''}/${object.spec?.scaleTargetRef?.name ?? ''}`),
    text('Targets', targetsText),
    text('MinPods', (object) => (object.spec?.minReplicas === undefined ? '<unset>' : String(object.spec.minReplicas))),
    text('MaxPods', (object) => object.spec?.maxReplicas ?? 0),
    text('Replicas', (object) => object.status?.currentReplicas ?? 0),
    AGE,
  ],
});
