import type { V1Service } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { service } from './service.js';

const web: V1Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', creationTimestamp: '2026-06-01T11:00:00Z' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }], clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
};
const stored = created(service, web);
const balanced: Changes = { 'spec/type': 'LoadBalancer' };

test('defaults of a service', () => {
  expect(created(service, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }, { name: 'x', port: 53, protocol: 'UDP', targetPort: 'dns' }] } })).toEqual({
    metadata: { name: 'web' },
    spec: {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }, { name: 'x', port: 53, protocol: 'UDP', targetPort: 'dns' }],
    },
    status: { loadBalancer: {} },
  });
  expect(created(service, changed(web, { ...balanced, 'spec/sessionAffinity': 'ClientIP' })).spec).toMatchObject({
    externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
  });
  expect(created(service, { spec: { type: 'ExternalName', externalName: 'a.example' } }).spec).toEqual({ type: 'ExternalName', externalName: 'a.example', sessionAffinity: 'None' });
});

const NO_CLUSTER_IP: Changes = { 'spec/clusterIP': undefined, 'spec/clusterIPs': undefined, 'spec/ipFamilies': undefined, 'spec/ipFamilyPolicy': undefined };

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no ports', { 'spec/ports': [] }, ['spec.ports: Required value']],
  ['headless without ports', { 'spec/ports': [], 'spec/clusterIP': 'None', 'spec/clusterIPs': ['None'] }, []],
  ['a port out of range', { 'spec/ports/0/port': 65536 }, [
    'spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive', 'spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
  ]],
  ['ports without names', { 'spec/ports/1': { port: 81 } }, ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value']],
  ['the same name twice', { 'spec/ports': [{ name: 'a', port: 1 }, { name: 'a', port: 2 }] }, ['spec.ports[1].name: Duplicate value: "a"']],
  ['the same port twice', { 'spec/ports': [{ name: 'a', port: 1 }, { name: 'b', port: 1 }] }, ['spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}']],
  ['the same port of two protocols', { 'spec/ports': [{ name: 'a', port: 1 }, { name: 'b', port: 1, protocol: 'UDP' }] }, []],
  ['a protocol', { 'spec/ports/0/protocol': 'ICMP' }, ['spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"']],
  ['a named target port', { 'spec/ports/0/targetPort': 'Web' }, [
    "spec.ports[0].targetPort: Invalid value: \"Web\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
  ]],
  ['a selector', { 'spec/selector': { 'a b': 'c' } }, [
    "spec.selector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]],
  ['an affinity', { 'spec/sessionAffinity': 'Cookie' }, ['spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"']],
  ['an affinity timeout', { 'spec/sessionAffinity': 'ClientIP', 'spec/sessionAffinityConfig/clientIP/timeoutSeconds': 86401 }, [
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
  ]],
  ['a type', { 'spec/type': 'Proxy' }, ['spec.type: Unsupported value: "Proxy": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"']],
  ['a headless node port', { 'spec/type': 'NodePort', 'spec/clusterIP': 'None', 'spec/clusterIPs': ['None'] }, [
    "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
  ]],
  ['a node port of a cluster IP', { 'spec/ports/0/nodePort': 30000 }, ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"]],
  ['the same node port twice', { 'spec/type': 'NodePort', 'spec/ports': [{ name: 'a', port: 1, nodePort: 30000 }, { name: 'b', port: 2, nodePort: 30000 }] }, [
    'spec.ports[1].nodePort: Duplicate value: 30000',
  ]],
  ['no external name', { 'spec/type': 'ExternalName', ...NO_CLUSTER_IP }, ['spec.externalName: Required value']],
  ['an external IP', { 'spec/externalIPs': ['127.0.0.1'] }, ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['a load balancer class of a cluster IP', { 'spec/loadBalancerClass': 'a.b/c' }, ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"]],
  ['a source range', { ...balanced, 'spec/loadBalancerSourceRanges': ['10.0.0.0'] }, [
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]],
  ['a health port without local traffic', { ...balanced, 'spec/healthCheckNodePort': 30001 }, [
    "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  ]],
  ['a traffic distribution', { 'spec/trafficDistribution': 'Far' }, [
    'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ]],
  ['cluster IPs that disagree', { 'spec/clusterIP': '10.96.0.8' }, ['spec.clusterIPs: Invalid value: ["10.96.0.7"]: first value must match `clusterIP`']],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(service, changed(web, changes))).toEqual(expected);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['another cluster IP', { 'spec/clusterIP': '10.96.0.8', 'spec/clusterIPs': ['10.96.0.8'] }, ['spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set']],
  ['another load balancer class', { ...balanced, 'spec/loadBalancerClass': 'a.b/d' }, ['spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set']],
  ['another port', { 'spec/ports/0/port': 81 }, []],
])('update with %s', (_what, changes, expected) => {
  const old = 'spec/loadBalancerClass' in changes ? created(service, changed(stored, { ...balanced, 'spec/loadBalancerClass': 'a.b/c' })) : stored;
  expect(updateErrors(service, old, changed(stored, changes))).toEqual(expected);
});

test('fields of another type go when the type changes', () => {
  const loadBalancer = created(service, changed(web, { ...balanced, 'spec/ports/0/nodePort': 30000, 'spec/allocateLoadBalancerNodePorts': true }));
  const next = updated(service, loadBalancer, changed(loadBalancer, { 'spec/type': 'ClusterIP' }));
  expect(next.spec!.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
  expect(next.spec).not.toHaveProperty('allocateLoadBalancerNodePorts');
  expect(updated(service, stored, changed(stored, { 'spec/type': 'ExternalName', 'spec/externalName': 'a.example' })).spec).not.toHaveProperty('clusterIP');
});

test('status is written through its subresource alone', () => {
  const wanted = changed(stored, { 'spec/ports/0/port': 1, 'status/loadBalancer/ingress': [{ ip: '192.0.2.1' }] });
  expect(updated(service, stored, wanted).status).toEqual({ loadBalancer: {} });
  const next = updated(service, stored, wanted, 'status');
  expect(next.spec).toEqual(stored.spec);
  expect(next.status).toEqual(wanted.status);
  expect(updateErrors(service, stored, changed(wanted, { 'status/loadBalancer/ingress/0/ip': 'x' }), 'status')).toEqual([
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ]);
});

test('cells', () => {
  expect(cellsOf(service, stored)).toEqual(['web', 'ClusterIP', '10.96.0.7', '<none>', '80/TCP', '60m', 'app=web']);
  const node = changed(stored, { 'spec/type': 'NodePort', 'spec/ports/0/nodePort': 30080, 'spec/externalIPs': ['192.0.2.1', '192.0.2.2'] });
  expect(cellsOf(service, node).slice(1, 5)).toEqual(['NodePort', '10.96.0.7', '192.0.2.1,192.0.2.2', '80:30080/TCP']);
  expect(cellsOf(service, changed(stored, balanced))[3]).toBe('<pending>');
});

test('warnings', () => {
  expect(service.warnings!(changed(stored, { 'spec/loadBalancerIP': '010.1.1.1', 'spec/type': 'LoadBalancer' }), undefined)).toEqual([
    'spec.loadBalancerIP: non-standard IP address "010.1.1.1" is invalid: use "10.1.1.1"',
  ]);
  expect(service.warnings!(changed(stored, { 'spec/clusterIP': 'None', 'spec/clusterIPs': ['None'], 'spec/sessionAffinity': 'ClientIP' }), undefined)).toEqual([
    'spec.SessionAffinity is ignored for headless services',
  ]);
});
