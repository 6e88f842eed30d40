import { decodeJson } from './decode-json.js';
import { Codec } from './codec.js';

const codec = new Codec();
const kinds: Record<string, readonly [string, string]> = {
  Pod: ['', 'v1'], Secret: ['', 'v1'], Service: ['', 'v1'], Event: ['', 'v1'], Deployment: ['apps', 'v1'], ReplicaSet: ['apps', 'v1'], ClusterRole: ['rbac.authorization.k8s.io', 'v1'],
  Lease: ['coordination.k8s.io', 'v1'], CustomResourceDefinition: ['apiextensions.k8s.io', 'v1'], ControllerRevision: ['apps', 'v1'],
};

function check(kind: string, body: unknown, strict = true) {
  const [group, version] = kinds[kind]!;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return codec.check(decodeJson(Buffer.from(text)), codec.schemas.kind({ group, version, kind })!, { strict });
}

test.each([
  ['Deployment', { spec: { replicas: 'x' } }, 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'],
  ['Deployment', '{"spec":{"replicas":1.5}}', 'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32'],
  ['Deployment', '{"spec":{"replicas":1.0}}', 'json: cannot unmarshal number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32'],
  ['Deployment', { spec: { replicas: 3000000000 } }, 'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32'],
  ['Deployment', { spec: { template: { spec: { containers: [{ name: 1 }] } } } }, 'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string'],
  ['Pod', { spec: { containers: {} } }, 'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container'],
  ['Pod', { spec: { containers: ['a'] } }, 'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container'],
  ['Pod', { spec: { dnsPolicy: true } }, 'json: cannot unmarshal bool into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy'],
  ['Pod', { metadata: { labels: { a: 1 } } }, 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string'],
  ['Pod', { spec: { volumes: [{ hostPath: { path: [] } }] } }, 'json: cannot unmarshal array into Go struct field HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string'],
  ['Pod', { spec: 'x' }, 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec'],
  ['Pod', { metadata: { creationTimestamp: 'yesterday' } }, 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
  ['Pod', { metadata: { creationTimestamp: '2020-02-30T00:00:00Z' } }, 'parsing time "2020-02-30T00:00:00Z": day out of range'],
  ['Pod', { spec: { containers: [{ resources: { limits: { cpu: 'many' } } }] } }, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['Service', { spec: { ports: [{ targetPort: true }] } }, 'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32'],
  ['Secret', { data: { a: 'x' } }, 'illegal base64 data at input byte 0'],
  ['Secret', { data: { a: 'YWJj*' } }, 'illegal base64 data at input byte 4'],
  ['CustomResourceDefinition', { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: 5 } } }] } }, 'boolean or JSON schema expected'],
])('%s %j is refused', (kind, body, message) => {
  expect(() => check(kind, body)).toThrow(message);
});

test('the first wrong type counts, unless something worse comes later', () => {
  expect(() => check('Pod', { spec: { nodeName: 1, hostNetwork: 'x' } })).toThrow('PodSpec.spec.nodeName');
  expect(() => check('Pod', { spec: { nodeName: 1, overhead: { cpu: 'x' } } })).toThrow('quantities must match');
});

test('unknown and duplicate fields are reported and dropped', () => {
  const { object, strictErrors } = check('Pod', '{"foo":1,"spec":{"containers":[{"name":"a","image2":"x","name":"b","env":[]}],"nodeSelector":{"k":"1","k":"2"}},"Kind":"x"}');
  expect(strictErrors).toEqual([
    'unknown field "foo"', 'duplicate field "spec.containers[0].name"', 'unknown field "spec.containers[0].image2"', 'duplicate field "spec.nodeSelector.k"', 'unknown field "Kind"',
  ]);
  expect(object).toEqual({ metadata: {}, spec: { containers: [{ name: 'b', env: [], resources: {} }], nodeSelector: { k: '2' } }, status: {} });
  expect(check('Pod', '{"foo":1}', false).strictErrors).toEqual([]);
});

test('a value that a later one of the same key replaces counts all the same', () => {
  expect(() => check('Deployment', '{"spec":{"replicas":"x","replicas":1}}')).toThrow('cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas');
  const { object } = check('Deployment', '{"spec":{"selector":{"matchLabels":{"a":"1"}},"selector":{"matchLabels":{"b":"2"},"matchExpressions":[]}}}');
  expect(object).toMatchObject({ spec: { selector: { matchLabels: { a: '1', b: '2' }, matchExpressions: [] } } });
});

test('empty values are kept or dropped as upstream does', () => {
  const { object } = check('Deployment', {
    metadata: { name: 'd', labels: {}, annotations: null, creationTimestamp: null },
    spec: { replicas: 0, paused: false, minReadySeconds: 0, template: { spec: { hostNetwork: false, terminationGracePeriodSeconds: 0, nodeSelector: {}, containers: [] } } },
  });
  // Validation tells an empty list or map from an absent one; what is stored does not.
  expect(object).toEqual({
    metadata: { name: 'd', labels: {} },
    spec: { replicas: 0, strategy: {}, template: { metadata: {}, spec: { terminationGracePeriodSeconds: 0, nodeSelector: {}, containers: [] } } },
    status: {},
  });
  const deployment = codec.schemas.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
  expect(codec.forStorage(object as object, deployment)).toEqual({
    metadata: { name: 'd' },
    spec: { replicas: 0, selector: null, strategy: {}, template: { metadata: {}, spec: { terminationGracePeriodSeconds: 0, containers: null } } },
    status: {},
  });
});

test('what is stored has null where upstream writes it', () => {
  const replicaSet = codec.schemas.kind({ group: 'apps', version: 'v1', kind: 'ReplicaSet' })!;
  expect(codec.forStorage({}, replicaSet)).toEqual({ metadata: {}, spec: { selector: null, template: { metadata: {}, spec: { containers: null } } }, status: { replicas: 0 } });
  const role = codec.schemas.kind({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole' })!;
  const stored = codec.forStorage({ rules: [] as unknown[] }, role);
  expect(stored).toEqual({ metadata: {}, rules: null });
  expect(codec.forStorage(stored, role)).toBe(stored);
});

test('values are written canonically', () => {
  const { object } = check('Pod', {
    metadata: { creationTimestamp: '2020-01-02T03:04:05.9+02:00' },
    spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1000m', memory: 1024 }, requests: { cpu: 0.5 } } }], overhead: { cpu: null } },
  });
  expect(object).toMatchObject({
    metadata: { creationTimestamp: '2020-01-02T01:04:05Z' },
    spec: { containers: [{ resources: { limits: { cpu: '1', memory: '1024' }, requests: { cpu: '500m' } } }], overhead: { cpu: '0' } },
  });
  expect(check('Lease', { spec: { renewTime: '2020-01-02T03:04:05.000001+00:00' } }).object).toMatchObject({ spec: { renewTime: '2020-01-02T03:04:05.000001Z' } });
  expect(() => check('Lease', { spec: { renewTime: '2020-01-02T03:04:05Z' } })).toThrow('cannot parse "Z" as ".000000"');
  expect(check('Secret', { data: { a: 'YW\nJj', b: 'YR==' } }).object).toMatchObject({ data: { a: 'YWJj', b: 'YQ==' } });
});

test('null in lists and maps becomes the zero value', () => {
  const { object } = check('Pod', { metadata: { labels: { a: null } }, spec: { containers: [null, { args: ['a', null] }] } });
  expect(object).toMatchObject({ metadata: { labels: { a: '' } }, spec: { containers: [{ name: '', resources: {} }, { args: ['a', ''] }] } });
});

test('what is already in order is returned as it is, and input is never changed', () => {
  const pod = codec.schemas.kind({ group: '', version: 'v1', kind: 'Pod' })!;
  const input = Object.freeze({ metadata: Object.freeze({ name: 'a' }), spec: Object.freeze({ containers: Object.freeze([{ name: 'a', resources: {} }]) }), status: Object.freeze({}) });
  expect(codec.check({ value: input }, pod, { strict: false }).object).toBe(input);
  codec.check({ value: Object.freeze({ spec: Object.freeze({ x: 1, hostIPC: false }) }) }, pod, { strict: false });
});

test('free-form values keep their shape', () => {
  const body = '{"revision":1,"data":{"a":[1.5,null,{"b":{}}]}}';
  expect(check('ControllerRevision', body).object).toMatchObject({ data: { a: [1.5, null, { b: {} }] }, revision: 1 });
});

test('empty lists and maps live until the object is stored', () => {
  const pod = { metadata: { name: 'a', labels: {} }, spec: { containers: [{ name: 'c', env: [], resources: { limits: {} } }], nodeSelector: {} } };
  const { object } = check('Pod', pod);
  expect(object).toMatchObject(pod);
  expect(codec.forStorage(object as object, codec.schemas.kind({ group: '', version: 'v1', kind: 'Pod' })!)).toEqual({
    metadata: { name: 'a' }, spec: { containers: [{ name: 'c', resources: {} }] }, status: {},
  });
});
