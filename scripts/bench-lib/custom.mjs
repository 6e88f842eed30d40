// What a custom resource costs beside a built-in kind: Deployments, and a custom kind with a schema for the same fields, with the same defaults, keyed lists and rules.
import { hammer, once } from './target.mjs';
import { requestBytes } from './connection.mjs';
import { workload } from './objects.mjs';

const NAMESPACE = 'bench';
const GROUP = 'bench.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = (more = {}) => ({ type: 'string', ...more });
const count = (more = {}) => ({ type: 'integer', format: 'int32', minimum: 0, ...more });
const map = (values) => ({ type: 'object', additionalProperties: values });
const list = (items, ...keys) => ({ type: 'array', items, ...(keys.length > 0 ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys } : { 'x-kubernetes-list-type': 'atomic' }) });
const struct = (properties, required = []) => ({ type: 'object', properties, ...(required.length > 0 ? { required } : {}) });
const quantity = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true, pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$' };

const container = struct({
  name: text({ maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
  image: text(),
  args: list(text()),
  env: list(struct({ name: text({ minLength: 1 }), value: text() }, ['name']), 'name'),
  ports: list(struct({ name: text({ maxLength: 15 }), containerPort: count({ minimum: 1, maximum: 65535 }), protocol: text({ default: 'TCP', enum: ['TCP', 'UDP', 'SCTP'] }) }, ['containerPort', 'protocol']), 'containerPort', 'protocol'),
  resources: { ...struct({ limits: map(quantity), requests: map(quantity) }), default: {} },
  terminationMessagePath: text({ default: '/dev/termination-log' }),
  terminationMessagePolicy: text({ default: 'File', enum: ['File', 'FallbackToLogsOnError'] }),
  imagePullPolicy: text({ default: 'IfNotPresent', enum: ['Always', 'IfNotPresent', 'Never'] }),
}, ['name']);
const podSpec = struct({
  containers: list(container, 'name'),
  restartPolicy: text({ default: 'Always', enum: ['Always', 'OnFailure', 'Never'] }),
  terminationGracePeriodSeconds: count({ default: 30, format: 'int64' }),
  dnsPolicy: text({ default: 'ClusterFirst' }),
  securityContext: { ...struct({ runAsUser: count(), fsGroup: count() }), default: {} },
  schedulerName: text({ default: 'default-scheduler' }),
  nodeSelector: map(text()),
}, ['containers']);
const spec = struct({
  replicas: count({ default: 1 }),
  selector: struct({ matchLabels: map(text()) }),
  template: struct({ metadata: struct({ labels: map(text()), annotations: map(text()) }), spec: podSpec }, ['spec']),
  strategy: {
    ...struct({ type: text({ default: 'RollingUpdate' }), rollingUpdate: { ...struct({ maxUnavailable: { ...quantity, default: '25%', pattern: undefined }, maxSurge: { ...quantity, default: '25%', pattern: undefined } }), default: {} } }),
    default: {},
  },
  revisionHistoryLimit: count({ default: 10 }),
  progressDeadlineSeconds: count({ default: 600 }),
  paused: { type: 'boolean' },
}, ['selector', 'template']);

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `workloads.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'workloads', singular: 'workload', kind: 'Workload' },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: struct({ spec, status: struct({ replicas: count(), observedGeneration: count({ format: 'int64' }) }) }) } }],
  },
};

/** Rows of what the custom kind costs: the time that it takes by that of Deployments. */
export async function custom(target, scale) {
  await define(target);
  const kinds = [
    { kind: 'Deployment', apiVersion: 'apps/v1', path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` },
    { kind: 'Workload', apiVersion: `${GROUP}/v1`, path: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/workloads` },
  ];
  const total = 1000 * scale;
  const apply = { contentType: 'application/apply-patch+yaml' };
  const body = ({ kind, apiVersion }, name, turn) => workload(kind, apiVersion, name, turn);
  const steps = [
    ['create', total, 201, (of, i) => ['POST', of.path, body(of, `made-${i}`, 0)]],
    ['update', total, 200, (of, i) => ['PUT', `${of.path}/made-${i}`, withVersion(body(of, `made-${i}`, 1), of.versions)]],
    ['get', 4 * total, 200, (of, i) => ['GET', `${of.path}/made-${i % total}`]],
    ['merge patch', total, 200, (of, i) => ['PATCH', `${of.path}/made-${i}`, { spec: { paused: true } }, { contentType: 'application/merge-patch+json' }]],
    ['apply: new', total, 201, (of, i) => ['PATCH', `${of.path}/applied-${i}?fieldManager=bench`, body(of, `applied-${i}`, 0), apply]],
    ['apply: unchanged', total, 200, (of, i) => ['PATCH', `${of.path}/applied-${i}?fieldManager=bench`, body(of, `applied-${i}`, 0), apply]],
    ['apply: changed', total, 200, (of, i) => ['PATCH', `${of.path}/applied-${i}?fieldManager=bench`, body(of, `applied-${i}`, 1), apply]],
    ['list', 10, 200, (of) => ['GET', of.path]],
  ];
  const rows = [];
  // Custom kinds are not updated without it; of Deployments a controller may make another version meanwhile.
  const withVersion = (object, versions) => (versions === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion: versions.get(object.metadata.name) } });
  for (const [name, requests, expected, make] of steps) {
    // In turns, so that both meet the same machine.
    const seconds = [0, 0];
    if (name === 'update') for (const of of kinds.slice(1)) of.versions = new Map((await once(target, 'GET', of.path)).body.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    for (const part of [0, 1, 2, 3]) {
      for (const [i, of] of kinds.entries()) {
        const from = Math.floor((requests * part) / 4);
        const many = Math.floor((requests * (part + 1)) / 4) - from;
        const begin = performance.now();
        await hammer(target, name === 'list' ? 1 : 16, many, expected, (at) => requestBytes(target, ...make(of, from + at)));
        seconds[i] += performance.now() - begin;
      }
    }
    rows.push({ name: `cost of a custom kind by a Deployment's, ${name}`, value: seconds[1] / seconds[0], unit: 'x', better: 'less' });
  }
  return rows;
}

async function define(target) {
  const { status } = await once(target, 'POST', DEFINITIONS, definition);
  if (status !== 201) throw new Error(`${target.label}: cannot create the definition: ${status}`);
  for (;;) {
    const { body } = await once(target, 'GET', `${DEFINITIONS}/${definition.metadata.name}`);
    if (body.status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True')) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // Handlers of new resources may follow a moment later.
  for (let i = 0; i < 50; i++) {
    const { status: listed } = await once(target, 'GET', `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/workloads`);
    if (listed === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
