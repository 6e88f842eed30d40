import { toDraft, type Draft } from '../../draft.js';
import type { V1Pod } from '../../generated/types.js';
import { pod } from '../pod.js';

const context = { now: 0, userName: 'tester' };
const text = (errors: readonly { field: string; message: string; type: string }[]): string[] => errors.map((error) => `${error.field}: ${error.message}`);

/** A small valid pod with defaults, changed by `change` before they are filled in. */
function made(change: (draft: Draft<V1Pod>) => void = () => undefined): Draft<V1Pod> {
  const draft = toDraft<V1Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'nginx:1.27' }] },
  });
  change(draft);
  pod.defaults!(draft);
  return draft;
}

function created(change?: (draft: Draft<V1Pod>) => void): V1Pod {
  const draft = made(change);
  pod.prepareForCreate!(draft, context);
  return draft;
}

test('defaults of a plain pod', () => {
  expect(created()).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      containers: [{
        name: 'main', image: 'nginx:1.27', imagePullPolicy: 'IfNotPresent', resources: {}, terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File',
      }],
      dnsPolicy: 'ClusterFirst', enableServiceLinks: true, restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {}, terminationGracePeriodSeconds: 30,
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  });
});

test('defaults are idempotent', () => {
  const once = made((draft) => {
    draft.spec!.hostNetwork = true;
    draft.spec!.containers[0]!.ports = [{ containerPort: 80 }];
    draft.spec!.containers[0]!.readinessProbe = { httpGet: { port: 80 } };
    draft.spec!.volumes = [{ name: 'a' }, { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }, { name: 'c', hostPath: { path: '/x' } }];
    draft.spec!.containers[0]!.resources = { limits: { cpu: '1000m', memory: '1024Mi' } };
  });
  const twice = toDraft<V1Pod>(once) as Draft<V1Pod>;
  pod.defaults!(twice);
  expect(twice).toEqual(once);
  const [container] = once.spec!.containers;
  expect(container!.ports).toEqual([{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  expect(container!.readinessProbe).toEqual({ httpGet: { port: 80, path: '/', scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  expect(container!.resources).toEqual({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } });
  expect(once.spec!.volumes).toEqual([
    { name: 'a', emptyDir: {} },
    { name: 'b', projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
    { name: 'c', hostPath: { path: '/x', type: '' } },
  ]);
});

test.each([
  ['nginx', 'Always'], ['nginx:latest', 'Always'], ['nginx:1', 'IfNotPresent'], ['localhost:5000/a/b', 'Always'], [`a@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  [`a:latest@sha256:${'0'.repeat(64)}`, 'Always'], ['UPPER', 'IfNotPresent'], ['', 'IfNotPresent'],
])('image %s is pulled %s', (image, policy) => {
  expect(made((draft) => (draft.spec!.containers[0]!.image = image)).spec!.containers[0]!.imagePullPolicy).toBe(policy);
});

test('a valid pod has no errors', () => {
  expect(pod.validate!(created(), context)).toEqual([]);
});

type Case = readonly [string, (draft: Draft<V1Pod>) => void, string, string];
const main = (draft: Draft<V1Pod>) => draft.spec!.containers[0]!;

test.each<Case>([
  ['no containers', (d) => (d.spec!.containers = []), 'spec.containers', 'Required value'],
  ['two containers of a name', (d) => d.spec!.containers.push({ name: 'main', image: 'x' }), 'spec.containers[1].name', 'Duplicate value: "main"'],
  ['no image', (d) => (main(d).image = ''), 'spec.containers[0].image', 'Required value'],
  ['image with blanks', (d) => (main(d).image = ' nginx'), 'spec.containers[0].image', 'Invalid value: " nginx": must not have leading or trailing whitespace'],
  ['restart policy', (d) => (d.spec!.restartPolicy = 'Never!'), 'spec.restartPolicy', 'Unsupported value: "Never!": supported values: "Always", "OnFailure", "Never"'],
  ['dns policy', (d) => (d.spec!.dnsPolicy = 'x'), 'spec.dnsPolicy', 'Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'],
  ['dns policy None', (d) => (d.spec!.dnsPolicy = 'None'), 'spec.dnsConfig', 'Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ['pull policy', (d) => (main(d).imagePullPolicy = 'x'), 'spec.containers[0].imagePullPolicy', 'Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"'],
  ['port', (d) => (main(d).ports = [{ containerPort: 70000 }]), 'spec.containers[0].ports[0].containerPort', 'Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ['port name twice', (d) => (main(d).ports = [{ name: 'a', containerPort: 1 }, { name: 'a', containerPort: 2 }]), 'spec.containers[0].ports[1].name', 'Duplicate value: "a"'],
  ['host port twice', (d) => (main(d).ports = [{ hostPort: 1, containerPort: 1 }, { hostPort: 1, containerPort: 2 }]), 'spec.containers[0].ports[1].hostPort', 'Duplicate value: "TCP//1"'],
  ['host network', (d) => { d.spec!.hostNetwork = true; main(d).ports = [{ hostPort: 2, containerPort: 1 }]; }, 'spec.containers[0].ports[0].hostPort',
    'Invalid value: 2: must match `containerPort` when `hostNetwork` is true'],
  ['env name', (d) => (main(d).env = [{ name: 'a=b' }]), 'spec.containers[0].env[0].name',
    "Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='"],
  ['env without source', (d) => (main(d).env = [{ name: 'a', valueFrom: {} }]), 'spec.containers[0].env[0].valueFrom',
    'Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'],
  ['field ref', (d) => (main(d).env = [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }]), 'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
    'Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x'],
  ['field ref not for env', (d) => (main(d).env = [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }]), 'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
    'Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'],
  ['mount of nothing', (d) => (main(d).volumeMounts = [{ name: 'v', mountPath: '/v' }]), 'spec.containers[0].volumeMounts[0].name', 'Not found: "v"'],
  ['request above limit', (d) => (main(d).resources = { requests: { cpu: '2' }, limits: { cpu: '1' } }), 'spec.containers[0].resources.requests',
    'Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ['extended resource', (d) => (main(d).resources = { requests: { 'a.b/c': '1' } }), 'spec.containers[0].resources.limits', 'Required value: Limit must be set for non overcommitable resources'],
  ['resource name', (d) => (main(d).resources = { limits: { gpu: '1' } }), 'spec.containers[0].resources.limits[gpu]', 'Invalid value: "gpu": must be a standard resource type or fully qualified'],
  ['negative resource', (d) => (main(d).resources = { limits: { cpu: '-1' } }), 'spec.containers[0].resources.limits[cpu]', 'Invalid value: "-1": must be greater than or equal to 0'],
  ['huge pages alone', (d) => (main(d).resources = { limits: { 'hugepages-2Mi': '2Mi' } }), 'spec.containers[0].resources', 'Forbidden: HugePages require cpu or memory'],
  ['probe without handler', (d) => (main(d).livenessProbe = {}), 'spec.containers[0].livenessProbe', 'Required value: must specify a handler type'],
  ['liveness successes', (d) => (main(d).livenessProbe = { exec: { command: ['x'] }, successThreshold: 2 }), 'spec.containers[0].livenessProbe.successThreshold', 'Invalid value: 2: must be 1'],
  ['probe port', (d) => (main(d).readinessProbe = { tcpSocket: { port: 0 } }), 'spec.containers[0].readinessProbe.tcpSocket.port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
  ['sleep', (d) => (main(d).lifecycle = { preStop: { sleep: { seconds: 31 } } }), 'spec.containers[0].lifecycle.preStop.sleep',
    'Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)'],
  ['init container probe', (d) => (d.spec!.initContainers = [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['x'] } } }]), 'spec.initContainers[0].livenessProbe',
    'Forbidden: may not be set for init containers without restartPolicy=Always'],
  ['two sources', (d) => (d.spec!.volumes = [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }]), 'spec.volumes[0].hostPath', 'Forbidden: may not specify more than 1 volume type'],
  ['host path', (d) => (d.spec!.volumes = [{ name: 'v', hostPath: { path: '/a/../b' } }]), 'spec.volumes[0].hostPath.path', 'Invalid value: "/a/../b": must not contain \'..\''],
  ['secret mode', (d) => (d.spec!.volumes = [{ name: 'v', secret: { secretName: 's', defaultMode: 512 } }]), 'spec.volumes[0].secret.defaultMode',
    'Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive'],
  ['token lifetime', (d) => { d.spec!.serviceAccountName = 'x'; d.spec!.volumes = [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] } }]; },
    'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds', 'Invalid value: 1: may not specify a duration less than 10 minutes'],
  ['claim template', (d) => (d.spec!.volumes = [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } }]), 'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes',
    'Required value: at least 1 access mode is required'],
  ['user id', (d) => (d.spec!.securityContext = { runAsUser: -1 }), 'spec.securityContext.runAsUser', 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ['escalation', (d) => (main(d).securityContext = { privileged: true, allowPrivilegeEscalation: false }), 'spec.containers[0].securityContext',
    'Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,' +
    '"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true'],
  ['seccomp', (d) => (d.spec!.securityContext = { seccompProfile: { type: 'Localhost' } }), 'spec.securityContext.seccompProfile.localhostProfile', 'Required value: must be set when seccomp type is Localhost'],
  ['sysctl', (d) => (d.spec!.securityContext = { sysctls: [{ name: 'A', value: '' }] }), 'spec.securityContext.sysctls[0].name',
    'Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'],
  ['toleration', (d) => (d.spec!.tolerations = [{ operator: 'Equal' }]), 'spec.tolerations[0].operator',
    'Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"'],
  ['toleration effect', (d) => (d.spec!.tolerations = [{ key: 'a', effect: 'x' }]), 'spec.tolerations[0].effect',
    'Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'],
  ['spread', (d) => (d.spec!.topologySpreadConstraints = [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }]),
    'spec.topologySpreadConstraints[0].maxSkew', 'Invalid value: 0: must be greater than zero'],
  ['node affinity', (d) => (d.spec!.affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } }),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms', 'Required value: must have at least one node selector term'],
  ['topology key', (d) => (d.spec!.affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } }),
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey', 'Required value: can not be empty'],
  ['host alias', (d) => (d.spec!.hostAliases = [{ ip: 'x' }]), 'spec.hostAliases[0].ip', 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ['deadline', (d) => (d.spec!.activeDeadlineSeconds = 0), 'spec.activeDeadlineSeconds', 'Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ['gate on bound pod', (d) => { d.spec!.nodeName = 'n'; d.spec!.schedulingGates = [{ name: 'g' }]; }, 'spec.nodeName', 'Forbidden: cannot be set until all schedulingGates have been cleared'],
  ['ephemeral container', (d) => (d.spec!.ephemeralContainers = [{ name: 'e', image: 'x' }]), 'spec.ephemeralContainers', 'Forbidden: cannot be set on create'],
  ['os', (d) => (d.spec!.os = { name: 'plan9' }), 'spec.os', 'Unsupported value: "plan9": supported values: "linux", "windows"'],
  ['windows', (d) => { d.spec!.os = { name: 'windows' }; d.spec!.hostPID = true; }, 'spec.hostPID', 'Forbidden: cannot be set for a windows pod'],
  ['deletion cost', (d) => (d.metadata!.annotations = { 'controller.kubernetes.io/pod-deletion-cost': '01' }), 'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]',
    'Invalid value: "01": must be a 32bit integer'],
  ['resize policy', (d) => { d.spec!.restartPolicy = 'Never'; main(d).resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }]; }, 'spec.containers[0].resizePolicy',
    'Invalid value: "RestartContainer": must be \'NotRequired\' when pod `restartPolicy` is \'Never\''],
  ['pod level resources', (d) => { d.spec!.resources = { requests: { cpu: '1' } }; main(d).resources = { requests: { cpu: '2' } }; }, 'spec.resources.requests[cpu]',
    'Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
])('%s is refused', (_name, change, field, message) => {
  expect(text(pod.validate!(created(change), context))).toContain(`${field}: ${message}`);
});

const updated = (change: (draft: Draft<V1Pod>) => void, base?: (draft: Draft<V1Pod>) => void): [V1Pod, V1Pod] => {
  const old = created(base);
  const draft = toDraft<V1Pod>(old) as Draft<V1Pod>;
  change(draft);
  return [draft, old];
};

test('image, tolerations, deadline may change; the rest may not', () => {
  const ok = updated((d) => {
    main(d).image = 'nginx:2';
    d.spec!.tolerations = [{ key: 'a', operator: 'Exists' }];
    d.spec!.activeDeadlineSeconds = 5;
  });
  expect(pod.validateUpdate!(...ok, context)).toEqual([]);
  const [error, ...more] = pod.validateUpdate!(...updated((d) => (d.spec!.hostname = 'x')), context);
  expect(more).toEqual([]);
  expect(error!.field).toBe('spec');
  expect(error!.message).toContain('Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,'
    + '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@');
  expect(error!.message).toContain('\n+ "Hostname": "x",');
});

test.each<readonly [string, (draft: Draft<V1Pod>) => void, string]>([
  ['removed toleration', (d) => delete d.spec!.tolerations, 'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  ['longer deadline', (d) => (d.spec!.activeDeadlineSeconds = 20), 'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value'],
  ['new container', (d) => d.spec!.containers.push({ name: 'b', image: 'b' }), 'spec.containers: Forbidden: pod updates may not add or remove containers'],
  ['new gate', (d) => (d.spec!.schedulingGates = [{ name: 'g' }]), "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
])('update: %s', (_name, change, expected) => {
  const pair = updated(change, (d) => {
    d.spec!.tolerations = [{ key: 'a', operator: 'Exists' }];
    d.spec!.activeDeadlineSeconds = 10;
  });
  expect(text(pod.validateUpdate!(...pair, context))).toContain(expected);
});

test('status writes leave the spec, resize writes resources only', () => {
  const [draft, old] = updated((d) => {
    d.spec!.hostname = 'x';
    d.status = { phase: 'Running' };
  });
  pod.subresources!['status']!.prepareForUpdate!(draft as Draft<V1Pod>, old, context);
  expect(draft.spec).toEqual(old.spec);
  expect(draft.status).toEqual({ phase: 'Running', qosClass: 'BestEffort' });
  const [resized, before] = updated((d) => {
    d.spec!.hostname = 'x';
    main(d).resources = { requests: { cpu: '2' } };
  }, (d) => (main(d).resources = { requests: { cpu: '1' } }));
  pod.subresources!['resize']!.prepareForUpdate!(resized as Draft<V1Pod>, before, context);
  expect(resized.spec!.hostname).toBeUndefined();
  expect(pod.subresources!['resize']!.validateUpdate!(resized, before, context)).toEqual([]);
});

test('resize may not change the QoS class nor remove requests', () => {
  const pair = updated((d) => (main(d).resources = {}), (d) => (main(d).resources = { requests: { cpu: '1' } }));
  expect(text(pod.subresources!['resize']!.validateUpdate!(...pair, context))).toEqual([
    'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
  ]);
});

test('a terminated container may not come back when nothing restarts it', () => {
  const state = (exit?: number) => ({ name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: exit === undefined ? { running: {} } : { terminated: { exitCode: exit } } });
  const [draft, old] = updated((d) => (d.status!.containerStatuses = [state()]), (d) => (d.spec!.restartPolicy = 'Never'));
  const ended: V1Pod = { ...old, status: { ...old.status, containerStatuses: [state(0)] } };
  expect(text(pod.subresources!['status']!.validateUpdate!(draft, ended, context))).toEqual([
    'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
  ]);
});

test('warnings', () => {
  const warnings = pod.warnings!(created((d) => {
    main(d).env = [{ name: 'A', value: '1' }, { name: 'A', value: '2' }];
    main(d).ports = [{ containerPort: 80 }, { containerPort: 80 }];
    d.spec!.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    d.metadata!.name = 'a.b';
  }), undefined);
  expect(warnings).toEqual([
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
  ]);
});

const cells = (object: V1Pod, now = 0): unknown[] => pod.columns!.map((column) => column.cell(object, now));
const container = (state: object, more: object = {}) => ({ name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state, ...more });

test.each<readonly [string, V1Pod['status'], string, string]>([
  ['pending', { phase: 'Pending' }, '0/1', 'Pending'],
  ['running', { phase: 'Running', containerStatuses: [container({ running: {} }, { ready: true })] }, '1/1', 'Running'],
  ['crash loop', { phase: 'Running', containerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } })] }, '0/1', 'CrashLoopBackOff'],
  ['exit code', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3 } })] }, '0/1', 'ExitCode:3'],
  ['init', { phase: 'Pending', initContainerStatuses: [{ ...container({ waiting: { reason: 'PodInitializing' } }), name: 'i' }] }, '0/1', 'Init:0/1'],
  ['evicted', { phase: 'Failed', reason: 'Evicted' }, '0/1', 'Evicted'],
])('status of a pod: %s', (_name, status, ready, shown) => {
  const object: V1Pod = { ...created((d) => (d.spec!.initContainers = [{ name: 'i', image: 'i' }])), status };
  expect(cells(object).slice(1, 3)).toEqual([ready, shown]);
});

test('restarts tell how long ago, a deleted pod terminates', () => {
  const status = { phase: 'Running', containerStatuses: [container({ running: {} }, { restartCount: 2, lastState: { terminated: { exitCode: 1, finishedAt: '1970-01-01T00:01:00Z' } } })] };
  const row = cells({ metadata: { name: 'web', deletionTimestamp: 'x', creationTimestamp: '1970-01-01T00:00:00Z' }, spec: { containers: [{ name: 'main' }] }, status }, 360_000);
  expect(row).toEqual(['web', '0/1', 'Terminating', '2 (5m ago)', '6m', '<none>', '<none>', '<none>', '<none>']);
});

test('grace period', () => {
  const grace = pod.gracefulDeletion!.gracePeriodSeconds;
  expect(grace(created(), undefined)).toBe(0);
  expect(grace(created((d) => (d.spec!.nodeName = 'n')), undefined)).toBe(30);
  expect(grace(created((d) => (d.spec!.nodeName = 'n')), 5)).toBe(5);
});
