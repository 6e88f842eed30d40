import { toDraft, type Draft } from '../draft.js';
import type { V1HorizontalPodAutoscaler, V2HorizontalPodAutoscaler } from '../generated/types.js';
import { horizontalPodAutoscaler as kind } from './horizontal-pod-autoscaler.js';

const context = { now: 0, userName: 'tester' };
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const { toHub, fromHub } = kind.conversions!['autoscaling/v1']!;

function created(spec: Partial<V2HorizontalPodAutoscaler['spec']> = {}): V2HorizontalPodAutoscaler {
  const draft = toDraft<V2HorizontalPodAutoscaler>({ apiVersion: 'autoscaling/v2', metadata: { name: 'x' }, spec: { maxReplicas: 3, scaleTargetRef, ...spec } });
  kind.defaults!(draft);
  kind.prepareForCreate!(draft, context);
  return draft;
}

test('defaults: one replica at least, eighty percent of cpu, behaviour filled in where it is begun', () => {
  expect(created().spec).toEqual({
    maxReplicas: 3, minReplicas: 1, scaleTargetRef, metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  });
  expect(created({ behavior: { scaleUp: { selectPolicy: 'Min' } } }).spec!.behavior).toEqual({
    scaleUp: { selectPolicy: 'Min', stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, { type: 'Percent', value: 100, periodSeconds: 15 }] },
    scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
  });
});

test.each<readonly [Partial<V2HorizontalPodAutoscaler['spec']>, string]>([
  [{ maxReplicas: 0 }, 'spec.maxReplicas: Required value: must be set and greater than 0'],
  [{ minReplicas: 0 }, 'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
  [{ minReplicas: 4 }, 'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  [{ scaleTargetRef: { ...scaleTargetRef, apiVersion: 'v1' } }, 'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
  [{ metrics: [{ type: 'Pods' }] }, 'spec.metrics[0].pods: Required value: must populate information for the given metric source'],
  [{ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
    'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization'],
  [{ behavior: { scaleDown: { policies: [{ type: 'x', value: 1, periodSeconds: 1801 }] } } },
    'spec.behavior.scaleDown.policies[0].type: Unsupported value: "x": supported values: "Percent", "Pods"'],
])('%j is refused', (spec, expected) => {
  expect(kind.validate!(created(spec), context).map((error) => `${error.field}: ${error.message}`)).toContain(expected);
});

test('v1 has a field for cpu and annotations for the rest, and gets all of it back', () => {
  const hub = created({
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '10' } } },
    ],
    behavior: { scaleUp: { selectPolicy: 'Min' } },
  });
  const v1 = fromHub(hub) as V1HorizontalPodAutoscaler;
  expect(v1.spec).toEqual({ maxReplicas: 3, minReplicas: 1, scaleTargetRef, targetCPUUtilizationPercentage: 50 });
  expect(JSON.parse(v1.metadata!.annotations!['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([{ type: 'Pods', pods: { metricName: 'qps', targetAverageValue: '10' } }]);
  const back = toHub(v1) as V2HorizontalPodAutoscaler;
  expect(back.metadata).toEqual({ name: 'x' });
  expect(back.spec!.behavior).toEqual(hub.spec!.behavior);
  // Metrics from the annotation come first.
  expect(back.spec!.metrics).toEqual([...hub.spec!.metrics!].reverse());
});

test('v1 without a target means eighty percent; v2 drops the annotations of v1', () => {
  expect((toHub({ apiVersion: 'autoscaling/v1', spec: { maxReplicas: 1, scaleTargetRef } } as V1HorizontalPodAutoscaler) as V2HorizontalPodAutoscaler).spec!.metrics)
    .toEqual([{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }]);
  const draft = toDraft({ metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]', a: 'b' } } } as unknown as V2HorizontalPodAutoscaler) as Draft<V2HorizontalPodAutoscaler>;
  kind.defaults!(draft);
  expect(draft.metadata!.annotations).toEqual({ a: 'b' });
});

test('targets in the table', () => {
  const object = created({ metrics: ['a', 'b', 'c'].map((name) => ({ type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue: '1' } } })) });
  expect(kind.columns!.map((column) => column.cell(object, 0)).slice(0, 6)).toEqual(['x', 'Deployment/web', '<unknown>/1, <unknown>/1 + 1 more...', '1', 3, 0]);
});
