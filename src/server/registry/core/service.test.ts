import { service as serviceKind } from '../../../api/core/service.js';
import { toDraft } from '../../../api/draft.js';
import type { V1Service, V1ServiceSpec } from '../../../api/generated/types.js';
import { IP_ADDRESSES, SERVICES } from '../../../api/resource-refs.js';
import { StatusError } from '../../../api/status-error.js';
import { simpleUser } from '../../authn/users.js';
import type { ApiServerOptions } from '../../server-context.js';
import { testContext } from '../../testing/context.js';
import type { CommitExtras } from '../hooks.js';
import { ServiceHook } from './service.js';

const COMMIT = { dryRun: false, user: simpleUser('jane', []) };

/** A hook with a hand-made commit: what the transaction writes appears in the view. */
function setup(options: Partial<ApiServerOptions> = {}) {
  const context = testContext(options);
  const hook = new ServiceHook(context);
  const commit = (extras: CommitExtras): void => {
    for (const write of extras.writes ?? []) {
      const name = write.key.split('/').at(-1)!;
      if (!write.key.includes('/ipaddresses/')) continue;
      if (write.type === 'put') context.view.put(IP_ADDRESSES, JSON.parse(write.value.toString()));
      else context.view.remove(IP_ADDRESSES, '', name);
    }
    extras.done?.(true);
  };
  const complete = (name: string, spec: V1ServiceSpec) => {
    const draft = toDraft<V1Service>({ metadata: { namespace: 'default', name }, spec });
    serviceKind.defaults!(draft);
    return draft;
  };
  const create = (name: string, spec: V1ServiceSpec): V1Service => {
    const draft = complete(name, spec);
    commit(hook.beforeCreate(draft, COMMIT));
    context.view.put(SERVICES, draft);
    return draft;
  };
  const update = (old: V1Service, spec: V1ServiceSpec): V1Service => {
    const draft = complete(old.metadata!.name!, spec);
    serviceKind.prepareForUpdate!(draft, old, { now: 0, userName: 'jane' });
    commit(hook.beforeUpdate(draft, old, COMMIT));
    context.view.put(SERVICES, draft);
    return draft;
  };
  return { context, hook, commit, create, update, complete };
}

const web = (extra: V1ServiceSpec = {}): V1ServiceSpec => ({ selector: { app: 'web' }, ports: [{ port: 80 }], ...extra });

function message(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return '';
}

test('a service gets an address of the upper band, with an IPAddress object in its transaction', () => {
  const { create, context, hook, complete } = setup();
  const service = create('web', web());
  const ip = service.spec!.clusterIP!;
  expect(ip).toMatch(/^10\.96\.(?!0\.)\d+\.\d+$/);
  expect(service.spec).toMatchObject({ clusterIPs: [ip], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  expect(context.view.get(IP_ADDRESSES, '', ip)).toMatchObject({
    metadata: { labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
  });
  const extras = hook.beforeCreate(complete('two', web()), COMMIT);
  expect(extras.compare).toEqual([{ key: extras.writes![0]!.key, modRevision: 0 }]);
  expect(extras.retryOnConflict).toBe(true);
});

test('the user may choose an address; taken and foreign ones are refused', () => {
  const { create, hook, complete } = setup();
  create('a', web({ clusterIP: '10.96.0.10' }));
  expect(message(() => create('b', web({ clusterIP: '10.96.0.10' })))).toBe(
    '422 Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated');
  expect(message(() => create('b', web({ clusterIP: '10.97.0.10' })))).toContain('failed to allocate IP 10.97.0.10: the provided network does not match the current range');
  expect(message(() => create('b', web({ clusterIP: '10.96.0.0' })))).toContain('the provided IP (10.96.0.0) is not in the valid range. The range of valid IPs is 10.96.0.0/16');
  // Under way in this server, not committed yet.
  hook.beforeCreate(complete('c', web({ clusterIP: '10.96.0.11' })), COMMIT);
  expect(message(() => create('d', web({ clusterIP: '10.96.0.11' })))).toContain('already allocated');
});

test('a failed write gives back what it took', () => {
  const { create, hook, complete } = setup();
  hook.beforeCreate(complete('c', web({ clusterIP: '10.96.0.11' })), COMMIT).done!(false);
  create('d', web({ clusterIP: '10.96.0.11' }));
  expect(message(() => create('e', web({ clusterIP: '10.96.0.12', type: 'NodePort', ports: [{ port: 1, nodePort: 1 }] })))).toContain('not in the valid range');
  create('f', web({ clusterIP: '10.96.0.12' }));
});

test('a small range fills up', () => {
  const { create } = setup({ serviceClusterIpRange: '10.0.0.0/30' });
  expect([create('a', web()), create('b', web())].map((service) => service.spec!.clusterIP).sort()).toEqual(['10.0.0.1', '10.0.0.2']);
  expect(message(() => create('c', web()))).toBe('500 Internal error occurred: failed to allocate a serviceIP for Service "c": range is full');
});

test('headless and external services take nothing', () => {
  const { create, context } = setup();
  expect(create('h', web({ clusterIP: 'None' })).spec).toMatchObject({ clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  expect(create('hs', { clusterIP: 'None', ports: [{ port: 1 }] }).spec).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' });
  expect(create('x', { type: 'ExternalName', externalName: 'example.com' }).spec!.clusterIP).toBeUndefined();
  expect(context.view.list(IP_ADDRESSES)).toEqual([]);
});

test('two stacks', () => {
  const dual = setup({ serviceClusterIpRange: '10.96.0.0/16,fd00::/108' });
  const service = dual.create('a', web({ ipFamilyPolicy: 'PreferDualStack' }));
  expect(service.spec!.ipFamilies).toEqual(['IPv4', 'IPv6']);
  expect(service.spec!.clusterIPs![1]).toMatch(/^fd00::/);
  const single = dual.update(service, { ...service.spec, ipFamilyPolicy: 'SingleStack' });
  expect(single.spec!.clusterIPs).toEqual([service.spec!.clusterIP]);
  expect(dual.context.view.list(IP_ADDRESSES)).toHaveLength(1);
  expect(dual.update(single, { ...single.spec, ipFamilyPolicy: 'RequireDualStack' }).spec!.clusterIPs).toHaveLength(2);
  expect(message(() => setup().create('a', web({ ipFamilyPolicy: 'RequireDualStack' })))).toContain('this cluster is not configured for dual-stack services');
  expect(message(() => setup().create('a', web({ ipFamilies: ['IPv6'] })))).toContain('spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster');
});

test('node ports: chosen, shared by protocol, refused, kept without being named, released', () => {
  const { create, update, hook } = setup();
  const service = create('a', web({ type: 'NodePort', ports: [{ name: 'dns', port: 53, nodePort: 30053 }, { name: 'udp', port: 53, protocol: 'UDP' }, { name: 'web', port: 80 }] }));
  const ports = service.spec!.ports!.map((port) => port.nodePort!);
  expect(ports.slice(0, 2)).toEqual([30053, 30053]);
  expect(ports[2]).toBeGreaterThanOrEqual(30086);
  const taken = web({ type: 'NodePort', ports: [{ port: 80, nodePort: 30053 }] });
  expect(message(() => create('b', taken))).toBe('422 Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30053: provided port is already allocated');
  expect(message(() => create('b', web({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] })))).toContain('provided port is not in the valid range. The range of valid ports is 30000-32767');
  const same = update(service, web({ type: 'NodePort', ports: service.spec!.ports!.map(({ nodePort: _nodePort, ...port }) => port) }));
  expect(same.spec!.ports!.map((port) => port.nodePort)).toEqual([30053, 30053, ports[2]]);
  expect(same.spec!.clusterIP).toBe(service.spec!.clusterIP);
  const internal = update(same, { ...same.spec, type: 'ClusterIP' });
  expect(internal.spec!.ports!.every((port) => port.nodePort === undefined)).toBe(true);
  create('b', taken);
  const released = hook.beforeDelete(internal, COMMIT).writes!.map((write) => `${write.type} ${write.key}`);
  expect(released).toEqual([`delete /registry/networking.k8s.io/ipaddresses/${service.spec!.clusterIP}`]);
});

test('load balancers: node ports are optional, a health check port comes with local traffic', () => {
  const { create, update } = setup();
  expect(create('a', web({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false })).spec!.ports![0]!.nodePort).toBeUndefined();
  const local = create('b', web({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32000 }));
  expect(local.spec!.healthCheckNodePort).toBe(32000);
  expect(message(() => create('c', web({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32000 })))).toBe(
    '500 Internal error occurred: failed to allocate requested HealthCheck NodePort 32000: provided port is already allocated');
  update(local, { ...local.spec, externalTrafficPolicy: 'Cluster' });
  create('c', web({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32000 }));
});

test('an external service releases its address, and gets a new one when it comes back', () => {
  const { create, update, context } = setup();
  const service = create('a', web());
  const external = update(service, { ...service.spec, type: 'ExternalName', externalName: 'example.com' });
  expect(external.spec!.clusterIP).toBeUndefined();
  expect(context.view.list(IP_ADDRESSES)).toEqual([]);
  expect(update(external, web()).spec!.clusterIP).toMatch(/^10\.96\./);
});

test('a dry run takes nothing', () => {
  const { hook, complete } = setup();
  const draft = complete('a', web({ type: 'NodePort' }));
  expect(hook.beforeCreate(draft, { ...COMMIT, dryRun: true })).toEqual({});
  expect(draft.spec).toMatchObject({ clusterIP: '10.96.0.0', ports: [{ nodePort: 32769 }] });
});
