// Bodies that are as big as a request may be, of shapes that long lists and many keys make expensive: each is legal JSON, most are legal objects.
import { dump } from 'js-yaml';

const GROUP = 'huge.fuzz.example';
const NAMESPACE = 'diff';
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const keyed = (count, value) => Object.fromEntries(times(count, (i) => [`k${i}`, typeof value === 'function' ? value(i) : value]));
const nested = (depth) => {
  let value = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
};

/** The kind that the custom objects are of. */
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `bigs.${GROUP}` },
  spec: {
    group: GROUP, scope: 'Namespaced', names: { plural: 'bigs', singular: 'big', kind: 'Big', listKind: 'BigList' },
    versions: [{
      name: 'v1', served: true, storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
            map: { type: 'array', items: { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'integer', default: 5 } } }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
            pairs: { type: 'array', items: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { type: 'integer' } } }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b', 'a'] },
            unique: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            dictionary: { type: 'object', additionalProperties: { type: 'string', maxLength: 10, pattern: '^[a-z0-9]+$' } },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
      subresources: { status: {} },
    }],
  },
};

const container = (name, more) => ({ name, image: 'x', ...more });
const template = (spec) => ({ replicas: 0, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container('c')], ...spec } } });
const property = (i) => ({ type: 'object', properties: { [`p${i}`]: { type: 'string', pattern: `^a${i}+$`, default: 'a' }, list: { type: 'array', items: { type: 'integer' } } } });

const object = (path, apiVersion, kind, rest, namespaced = true) => ({ collection: namespaced ? path.replace('*', `namespaces/${NAMESPACE}`) : path.replace('/*', ''), object: { apiVersion, kind, ...rest } });
const configMap = (rest) => object('/api/v1/*/configmaps', 'v1', 'ConfigMap', rest);
const deployment = (spec) => object('/apis/apps/v1/*/deployments', 'apps/v1', 'Deployment', { spec: template(spec) });
const custom = (rest) => object(`/apis/${GROUP}/v1/*/bigs`, `${GROUP}/v1`, 'Big', rest);
const definition = (count) => {
  const group = 'huger.fuzz.example';
  return object('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    metadata: { name: `huges.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'huges', singular: 'huge', kind: 'Huge', listKind: 'HugeList' }, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: Object.fromEntries(times(count, (i) => [`q${i}`, property(i)])) } } }] },
  });
};

/** The shapes by name. Each gives a collection and an object without a name (but for definitions, whose name says what they are of). */
const SHAPES = {
  'keys of a config map': () => configMap({ data: keyed(100_000, 'v') }),
  'more keys than can be stored': () => configMap({ data: keyed(150_000, 'vvvv') }),
  'one long text': () => configMap({ data: { k: 'x'.repeat(1_400_000) } }),
  'one text that is too long': () => configMap({ data: { k: '\n"é'.repeat(450_000) } }),
  'finalizers': () => configMap({ metadata: { finalizers: times(50_000, (i) => `example.com/f${i}`) } }),
  'owner references': () => configMap({ metadata: { ownerReferences: times(14_000, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u-${i}` })) } }),
  'labels': () => configMap({ metadata: { labels: keyed(80_000, 'v') } }),
  'annotations': () => configMap({ metadata: { annotations: keyed(100_000, 'v') } }),
  'managers': () => configMap({ metadata: { managedFields: times(8000, (i) => ({ manager: `m${i}`, operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { [`f:k${i}`]: {} } } })) }, data: { a: 'b' } }),
  'fields of a manager': () => configMap({ metadata: { managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': Object.fromEntries(times(100_000, (i) => [`f:k${i}`, {}])) } }] }, data: { a: 'b' } }),
  'elements of a manager': () => configMap({ metadata: { managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': Object.fromEntries(times(60_000, (i) => [`k:{"name":"a b${60_000 - i}"}`, {}])) } }] }, data: { a: 'b' } }),
  'containers': () => deployment({ containers: times(20_000, (i) => container(`c${i}`)) }),
  'variables': () => deployment({ containers: [container('c', { env: times(50_000, (i) => ({ name: `E${i}`, value: 'v' })) })] }),
  'container ports': () => deployment({ containers: [container('c', { ports: times(40_000, (i) => ({ containerPort: 1 + i, name: `p${i}` })) })] }),
  'volumes': () => deployment({ volumes: times(30_000, (i) => ({ name: `v${i}`, emptyDir: {} })), containers: [container('c', { volumeMounts: times(15_000, (i) => ({ name: `v${i}`, mountPath: `/v${i}` })) })] }),
  'tolerations': () => deployment({ tolerations: times(30_000, (i) => ({ key: `k${i}`, operator: 'Exists', effect: 'NoSchedule' })), nodeSelector: keyed(20_000, 'v') }),
  'spread constraints': () => deployment({ topologySpreadConstraints: times(10_000, (i) => ({ maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } })), hostAliases: times(10_000, (i) => ({ ip: '10.0.0.1', hostnames: [`h${i}`] })) }),
  'affinities': () => deployment({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: times(15_000, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a', 'b'] }] })) } } } }),
  'sources of a volume': () => deployment({ volumes: [{ name: 'v', projected: { sources: times(20_000, (i) => ({ configMap: { name: 'c', items: [{ key: `k${i}`, path: `p${i}` }] } })) } }] }),
  'service ports': () => object('/api/v1/*/services', 'v1', 'Service', { spec: { ports: times(25_000, (i) => ({ name: `p${i}`, port: 1 + i })) } }),
  'endpoint addresses': () => object('/api/v1/*/endpoints', 'v1', 'Endpoints', { subsets: [{ addresses: times(40_000, (i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` })), ports: times(100, (i) => ({ name: `p${i}`, port: i + 1 })) }] }),
  'endpoints of a slice': () => object('/apis/discovery.k8s.io/v1/*/endpointslices', 'discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: times(30_000, (i) => ({ addresses: [`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`] })), ports: times(1000, (i) => ({ name: `p${i}`, port: i + 1 })) }),
  'rules of a policy': () => object('/apis/networking.k8s.io/v1/*/networkpolicies', 'networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {}, ingress: times(12_000, (i) => ({ from: [{ ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/24` } }], ports: [{ port: 80 }] })) } }),
  'paths of an ingress': () => object('/apis/networking.k8s.io/v1/*/ingresses', 'networking.k8s.io/v1', 'Ingress', { spec: { rules: times(10_000, (i) => ({ host: `h${i}.example.com`, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }] } })) } }),
  'rules of a role': () => object('/apis/rbac.authorization.k8s.io/v1/*/roles', 'rbac.authorization.k8s.io/v1', 'Role', { rules: times(15_000, (i) => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get', 'list'] })) }),
  'subjects': () => object('/apis/rbac.authorization.k8s.io/v1/*/rolebindings', 'rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: times(15_000, (i) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `u${i}` })) }),
  'quotas': () => object('/api/v1/*/resourcequotas', 'v1', 'ResourceQuota', { spec: { hard: Object.fromEntries(times(50_000, (i) => [`count/things${i}.example.com`, '10'])) } }),
  'a definition': () => definition(9_000),
  'a definition that is too big': () => definition(17_000),
  'wrong items': () => deployment({ containers: times(100_000, () => ({ name: '' })) }),
  'items that are null': () => deployment({ containers: times(500_000, () => null) }),
  'unknown fields': () => configMap({ ...keyed(120_000, 1), data: { a: 'b' } }),
  'unknown fields within': () => deployment({ containers: [container('c', keyed(120_000, 1))] }),
  'a set': () => custom({ set: times(120_000, (i) => `v${i}`) }),
  'a set that repeats': () => custom({ set: times(200_000, (i) => `v${i >> 1}`) }),
  'a set of numbers': () => custom({ numbers: times(180_000, (i) => 180_000 - i) }),
  'a list with keys': () => custom({ map: times(60_000, (i) => ({ a: `v${60_000 - i}` })) }),
  'a list with keys of blanks': () => custom({ map: times(60_000, (i) => ({ a: `a b${60_000 - i}` })) }),
  'a list with two keys': () => custom({ pairs: times(50_000, (i) => ({ a: `v${i}`, b: 50_000 - i })) }),
  'a dictionary': () => custom({ dictionary: keyed(100_000, 'v') }),
  'a dictionary of wrong texts': () => custom({ dictionary: keyed(100_000, 'V!') }),
  'free fields': () => custom({ free: keyed(100_000, 1) }),
  'free objects': () => custom({ unique: times(60_000, (i) => ({ x: { y: i } })) }),
  'free lists': () => custom({ free: { a: times(600_000, (i) => i % 10) } }),
  'numbers with a fraction': () => custom({ free: { a: times(250_000, (i) => i + 0.5) } }),
  'deep fields': () => custom({ free: { a: times(300, () => nested(900)) } }),
  'pruned fields': () => custom(keyed(100_000, 'v')),
  'a status': () => custom({ status: keyed(100_000, 'v') }),
};

const asPointer = (path) => path.map((key) => `/${key}`).join('');

/** The first long list or object of many keys, as a path. */
function longest(value, path = []) {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.keys(value).length > 500) return path;
  for (const key of Object.keys(value)) {
    const found = longest(value[key], [...path, key]);
    if (found) return found;
  }
  return undefined;
}

function operations(object) {
  const path = longest(object) ?? ['data'];
  const at = path.reduce((value, key) => value?.[key], object);
  const place = asPointer(path);
  if (!Array.isArray(at)) return times(10_000, (i) => ({ op: 'add', path: `${place}/n${i}`, value: 'v' }));
  return times(10_000, (i) => (i % 2 ? { op: 'remove', path: `${place}/0` } : { op: 'add', path: `${place}/${i % 4 ? 0 : '-'}`, value: at[0] }));
}

const JSON_TYPE = 'application/json';
const APPLY = 'application/apply-patch+yaml';

function* requestsOf(name, shape) {
  const { collection, object } = shape();
  const own = object.metadata?.name ?? `huge-${Object.keys(SHAPES).indexOf(name)}`;
  const whole = { ...object, metadata: { ...object.metadata, name: own } };
  const json = JSON.stringify(whole);
  const at = `${collection}/${own}`;
  const one = (verb, method, path, body, contentType = JSON_TYPE, accept = JSON_TYPE) => ({ kind: 'huge', name: `${name}: ${verb}`, method, path, headers: { contentType, accept }, ...(body === undefined ? {} : { body }) });
  const { apiVersion, kind } = whole;
  yield one('create', 'POST', `${collection}?fieldValidation=Strict`, json);
  yield one('create again', 'POST', collection, json);
  yield one('update', 'PUT', at, JSON.stringify({ ...whole, metadata: { ...whole.metadata, annotations: { ...whole.metadata.annotations, changed: 'yes' } } }));
  yield one('update nothing', 'PUT', at, json);
  yield one('get', 'GET', at);
  yield one('get protobuf', 'GET', at, undefined, JSON_TYPE, 'application/vnd.kubernetes.protobuf');
  yield one('get YAML', 'GET', at, undefined, JSON_TYPE, 'application/yaml');
  yield one('list', 'GET', `${collection}?limit=500`);
  yield one('list table', 'GET', collection, undefined, JSON_TYPE, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  yield one('merge patch', 'PATCH', at, '{"metadata":{"annotations":{"merged":"yes"}}}', 'application/merge-patch+json');
  yield one('big merge patch', 'PATCH', at, json, 'application/merge-patch+json');
  yield one('strategic patch', 'PATCH', at, json, 'application/strategic-merge-patch+json');
  yield one('JSON patch', 'PATCH', at, JSON.stringify(operations(whole)), 'application/json-patch+json');
  yield one('apply', 'PATCH', `${at}?fieldManager=a&force=true`, json, APPLY);
  yield one('apply again', 'PATCH', `${at}?fieldManager=a`, json, APPLY);
  yield one('apply by another', 'PATCH', `${at}?fieldManager=b`, json, APPLY);
  yield one('apply less', 'PATCH', `${at}?fieldManager=a`, JSON.stringify({ apiVersion, kind, metadata: { name: own } }), APPLY);
  yield one('update of a status', 'PUT', `${at}/status`, json);
  yield one('delete', 'DELETE', at, '{}');
  yield one('apply that creates', 'PATCH', `${at}?fieldManager=c`, json, APPLY);
  yield one('delete collection', 'DELETE', kind === 'CustomResourceDefinition' ? at : collection, '{}');
  const finalizers = whole.metadata.finalizers || whole.metadata.ownerReferences;
  if (finalizers) yield one('let go', 'PATCH', at, '{"metadata":{"finalizers":null}}', 'application/merge-patch+json');
  if (json.length > 400_000) yield one('create from YAML', 'POST', `${collection}?dryRun=All`, dump(whole, { flowLevel: name.length % 2 ? 2 : -1, noRefs: true }), 'application/yaml');
}

const SELECTORS = [
  () => ['labels', `labelSelector=${times(4000, (i) => `k${i}!=v`).join(',')}`],
  () => ['labels of a set', `labelSelector=a+in+(${times(8000, (i) => `v${i}`).join(',')})`],
  () => ['fields', `fieldSelector=${times(3000, (i) => `metadata.name!=n${i}`).join(',')}`],
  () => ['parameters', times(8000, (i) => `x${i}=1`).join('&')],
];

/** Every big request once, in an order in which objects exist when they are needed. `only`: names must contain it. */
export function* everyHuge(only = '') {
  yield { kind: 'huge', name: 'definition', method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', headers: { contentType: JSON_TYPE }, body: JSON.stringify(DEFINITION) };
  for (const [name, shape] of Object.entries(SHAPES)) if (name.includes(only)) yield* requestsOf(name, shape);
  for (const make of SELECTORS) {
    const [name, query] = make();
    if (name.includes(only)) for (const verb of ['GET', 'DELETE']) yield { kind: 'huge', name: `selector of ${name}: ${verb}`, method: verb, path: `/api/v1/namespaces/${NAMESPACE}/pods?${query}`, headers: { accept: JSON_TYPE } };
  }
}
