import { daemonSet } from './daemon-set.js';
import { deployment } from './deployment.js';
import { replicaSet } from './replica-set.js';
import { statefulSet } from './stateful-set.js';
import { controllerRevision } from './controller-revision.js';
import { cronJob } from '../batch/cron-job.js';
import { job } from '../batch/job.js';
import { replicationController } from '../core/replication-controller.js';
import { podDisruptionBudget } from '../policy/pod-disruption-budget.js';
import { priorityClass } from '../scheduling/priority-class.js';
import { runtimeClass } from '../node/runtime-class.js';
import { toDraft, type Draft } from '../draft.js';
import type { FieldError } from '../meta/field-error.js';
import type { KubeObject } from '../meta/object.js';
import type { KindDefinition } from '../scheme/kind.js';

const context = { now: 0, userName: 'tester' };
const text = (errors: readonly FieldError[]): string[] => errors.map((error) => `${error.field}: ${error.message}`);

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const selector = { matchLabels: { app: 'a' } };
const jobTemplate = { spec: { ...template.spec, restartPolicy: 'Never' } };

const BASE: Record<string, { readonly kind: KindDefinition; readonly object: object }> = {
  deployment: { kind: deployment as unknown as KindDefinition, object: { spec: { selector, template } } },
  replicaSet: { kind: replicaSet as unknown as KindDefinition, object: { spec: { selector, template } } },
  statefulSet: { kind: statefulSet as unknown as KindDefinition, object: { spec: { selector, template, serviceName: 's' } } },
  daemonSet: { kind: daemonSet as unknown as KindDefinition, object: { spec: { selector, template } } },
  replicationController: { kind: replicationController as unknown as KindDefinition, object: { spec: { template } } },
  job: { kind: job as unknown as KindDefinition, object: { spec: { template: jobTemplate } } },
  cronJob: { kind: cronJob as unknown as KindDefinition, object: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: jobTemplate } } } } },
  podDisruptionBudget: { kind: podDisruptionBudget as unknown as KindDefinition, object: { spec: { selector, minAvailable: 1 } } },
  priorityClass: { kind: priorityClass as unknown as KindDefinition, object: { value: 5 } },
  runtimeClass: { kind: runtimeClass as unknown as KindDefinition, object: { handler: 'runc' } },
  controllerRevision: { kind: controllerRevision as unknown as KindDefinition, object: { data: {}, revision: 1 } },
};

type Fields = Record<string, unknown>;

/** Sets a dotted path in a draft. */
function set(draft: object, path: string, value: unknown): void {
  const keys = path.split('.');
  let at = draft as Fields;
  for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Fields;
  at[keys.at(-1)!] = value;
}

function created(name: string, changes: Fields = {}): KubeObject {
  const { kind, object } = BASE[name]!;
  const draft = toDraft({ metadata: { name: 'x', namespace: 'default', uid: 'u1' }, ...object }) as Draft<KubeObject>;
  for (const [path, value] of Object.entries(changes)) set(draft, path, value);
  kind.defaults?.(draft);
  kind.prepareForCreate?.(draft, context);
  return draft;
}

test.each(Object.keys(BASE))('a plain %s is valid, and its defaults are idempotent', (name) => {
  const object = created(name);
  expect(text(BASE[name]!.kind.validate?.(object, context) ?? [])).toEqual([]);
  const read = BASE[name]!.kind.whenRead?.(object) ?? object;
  const again = toDraft(read) as Draft<KubeObject>;
  BASE[name]!.kind.defaults?.(again);
  expect(again).toEqual(read);
  for (const column of BASE[name]!.kind.columns!) expect(column.cell(object, 0)).not.toBeUndefined();
});

test('defaults of a deployment', () => {
  const { spec, status } = created('deployment') as unknown as { spec: Fields; status: unknown };
  expect(spec).toMatchObject({
    replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
  });
  // Templates do not get what only pods get.
  expect(spec['template']).not.toHaveProperty('spec.enableServiceLinks');
  expect(status).toEqual({});
});

test('defaults of a stateful set', () => {
  const object = created('statefulSet', { 'spec.volumeClaimTemplates': [{ metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } }] });
  expect(object).toMatchObject({
    spec: {
      podManagementPolicy: 'OrderedReady', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } }],
    },
    status: { replicas: 0, availableReplicas: 0 },
  });
  expect(statefulSet.validate!(object, context)).toEqual([]);
});

test('a job is tied to its pods by its UID', () => {
  const object = created('job') as { spec?: Fields };
  const labels = { 'batch.kubernetes.io/controller-uid': 'u1', 'controller-uid': 'u1', 'batch.kubernetes.io/job-name': 'x', 'job-name': 'x' };
  expect(object.spec).toMatchObject({
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } }, template: { metadata: { labels } },
    backoffLimit: 6, completionMode: 'NonIndexed', completions: 1, parallelism: 1, podReplacementPolicy: 'TerminatingOrFailed', suspend: false, manualSelector: false,
  });
});

test.each<readonly [string, Fields, string]>([
  ['deployment', { 'spec.selector': undefined }, 'spec.selector: Required value'],
  ['deployment', { 'spec.selector': undefined }, 'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
  ['deployment', { 'spec.selector': {} }, 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  ['deployment', { 'spec.replicas': -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ['deployment', { 'spec.strategy': { type: 'x' } }, 'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"'],
  ['deployment', { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } }, "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ['deployment', { 'spec.strategy.rollingUpdate': { maxSurge: 0, maxUnavailable: 0 } }, 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
  ['deployment', { 'spec.strategy.rollingUpdate': { maxUnavailable: '101%' } }, 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ['deployment', { 'spec.minReadySeconds': 600 }, 'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
  ['deployment', { 'spec.template.spec.restartPolicy': 'Never' }, 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ['deployment', { 'spec.template.spec.activeDeadlineSeconds': 1 }, 'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported'],
  ['replicaSet', { 'spec.selector': { matchLabels: { app: 'b' } } }, 'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
  ['statefulSet', { 'spec.podManagementPolicy': 'x' }, "spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'"],
  ['statefulSet', { 'spec.updateStrategy': { type: 'x' } }, "spec.updateStrategy: Invalid value: {\"Type\":\"x\",\"RollingUpdate\":null}: must be 'RollingUpdate' or 'OnDelete'"],
  ['statefulSet', { 'spec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'x' } },
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "x": supported values: "Retain", "Delete"'],
  ['statefulSet', { 'spec.ordinals': { start: -1 } }, 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
  ['statefulSet', { 'spec.serviceName': 'a.b' }, 'spec.serviceName: Invalid value: "a.b": must not contain dots'],
  ['daemonSet', { 'spec.updateStrategy.rollingUpdate': { maxSurge: 1, maxUnavailable: 1 } }, 'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
  ['daemonSet', { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0 } }, 'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  ['replicationController', { 'spec.template': undefined }, 'spec.template: Required value'],
  ['job', { 'spec.template.spec.restartPolicy': undefined }, 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ['job', { 'spec.template.spec.restartPolicy': 'x' }, 'spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "OnFailure", "Never"'],
  ['job', { 'spec.selector': { matchLabels: { a: 'b' } } }, 'spec.template.metadata.labels: Invalid value: '
    + '{"job-name":"x","batch.kubernetes.io/job-name":"x","controller-uid":"u1","batch.kubernetes.io/controller-uid":"u1"}: `selector` does not match template `labels`'],
  ['job', { 'spec.completionMode': 'Indexed', 'spec.parallelism': 1 }, 'spec.completions: Required value: when completion mode is Indexed'],
  ['job', { 'spec.backoffLimitPerIndex': 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
  ['job', { 'spec.podFailurePolicy': { rules: [{ action: 'Ignore' }] } }, 'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required'],
  ['job', { 'spec.podFailurePolicy': { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [2, 1] } }] } },
    'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered'],
  ['job', { 'spec.managedBy': 'x' }, 'spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
  ['cronJob', { 'spec.schedule': '' }, 'spec.schedule: Required value'],
  ['cronJob', { 'spec.schedule': '* * *' }, 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
  ['cronJob', { 'spec.schedule': '60 * * * *' }, 'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
  ['cronJob', { 'spec.schedule': 'TZ=UTC * * * * *' }, 'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
  ['cronJob', { 'spec.timeZone': 'Nowhere/Land' }, 'spec.timeZone: Invalid value: "Nowhere/Land": unknown time zone Nowhere/Land'],
  ['cronJob', { 'spec.concurrencyPolicy': 'x' }, 'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"'],
  ['cronJob', { 'metadata.name': 'x'.repeat(53) }, `metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`],
  ['podDisruptionBudget', { 'spec.minAvailable': 'x' },
    "spec.minAvailable: Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"],
  ['podDisruptionBudget', { 'spec.unhealthyPodEvictionPolicy': 'x' }, 'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ['priorityClass', { value: 2_000_000_000 }, 'value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ['priorityClass', { 'metadata.name': 'system-x' }, "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class"],
  ['runtimeClass', { handler: 'a.b' }, 'handler: Invalid value: "a.b": must not contain dots'],
  ['controllerRevision', { data: undefined }, 'data: Required value: data is mandatory'],
])('%s with %j is refused', (name, changes, expected) => {
  expect(text(BASE[name]!.kind.validate!(created(name, changes), context))).toContain(expected);
});

test.each<readonly [string, Fields, string]>([
  ['deployment', { 'spec.selector': { matchLabels: { app: 'a', b: 'c' } } }, 'spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable'],
  ['statefulSet', { 'spec.serviceName': 't' }, "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    + "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"],
  ['job', { 'spec.completions': 2 }, 'spec.completions: Invalid value: 2: field is immutable'],
  ['job', { 'spec.template.spec.hostname': 'h' }, 'field is immutable'],
  ['priorityClass', { value: 6 }, 'value: Forbidden: may not be changed in an update.'],
  ['controllerRevision', { data: { a: 1 } }, 'data: Invalid value: {"a":1}: field is immutable'],
])('%s may not change %j', (name, changes, expected) => {
  const old = created(name);
  const draft = toDraft(old) as Draft<KubeObject>;
  for (const [path, value] of Object.entries(changes)) set(draft, path, value);
  expect(text(BASE[name]!.kind.validateUpdate!(draft, old, context)).join('\n')).toContain(expected);
});

test('a changed annotation counts as a change of a deployment', () => {
  const old = created('deployment', { 'metadata.generation': 1 });
  const draft = toDraft(old) as Draft<KubeObject>;
  set(draft, 'metadata.annotations', { a: 'b' });
  BASE['deployment']!.kind.prepareForUpdate!(draft, old, context);
  expect(draft.metadata?.generation).toBe(2);
});

test('a daemon set counts the generations of its template', () => {
  const old = created('daemonSet');
  expect(old.metadata?.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
  const draft = toDraft(old) as Draft<KubeObject>;
  set(draft, 'spec.template.metadata.labels', { app: 'a', b: 'c' });
  BASE['daemonSet']!.kind.prepareForUpdate!(draft, old, context);
  expect(draft.metadata?.annotations).toEqual({ 'deprecated.daemonset.template.generation': '2' });
});

test.each<readonly [Fields, Fields, string]>([
  [{ failed: 1 }, { failed: 2 }, 'status.failed: Invalid value: 1: cannot decrease the failed counter'],
  [{ ready: 2, active: 1 }, {}, 'status.ready: Invalid value: 2: cannot set more ready pods than active'],
  [{ conditions: [{ type: 'Failed', status: 'True' }], startTime: 't' }, {}, 'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition'],
  [{ conditions: [{ type: 'Complete', status: 'True' }, { type: 'SuccessCriteriaMet', status: 'True' }], startTime: 't' }, {}, 'status.completionTime: Required value: completionTime is required for Complete jobs'],
  [{ completedIndexes: '1' }, {}, 'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode'],
])('status of a job may not become %j from %j', (status, old, expected) => {
  const base = created('job');
  const errors = job.subresources!['status']!.validateUpdate!({ ...base, status } as never, { ...base, status: old } as never, context);
  expect(text(errors)).toContain(expected);
});

test('tables', () => {
  const row = (name: string, object: KubeObject, now = 0): unknown[] => BASE[name]!.kind.columns!.map((column) => column.cell(object, now));
  const shown = created('deployment', { 'metadata.creationTimestamp': '1970-01-01T00:00:00Z' });
  expect(row('deployment', { ...shown, status: { readyReplicas: 1, updatedReplicas: 2 } } as KubeObject, 60_000)).toEqual(['x', '1/1', 2, 0, '60s', 'c', 'i:1', 'app=a']);
  expect(row('job', created('job')).slice(0, 4)).toEqual(['x', 'Running', '0/1', '']);
  expect(row('cronJob', created('cronJob')).slice(0, 6)).toEqual(['x', '*/5 * * * *', '<none>', 'False', 0, '<none>']);
});
