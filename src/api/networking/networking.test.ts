import type { V1Ingress, V1IPAddress, V1NetworkPolicy } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { ingress } from './ingress.js';
import { ipAddress } from './ip-address.js';
import { networkPolicy } from './network-policy.js';
import { serviceCidr } from './service-cidr.js';

const site: V1Ingress = {
  metadata: { name: 'i', namespace: 'default', generation: 1 },
  spec: {
    rules: [{ host: 'a.example', http: { paths: [{ path: '/x', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] } }],
  },
};
const PATH = 'spec.rules[0].http.paths[0]';
const inPath = (field: string): string => `spec/rules/0/http/paths/0/${field}`;

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['neither rules nor backend', { 'spec/rules': [] }, ['spec: Invalid value: []: either `defaultBackend` or `rules` must be specified']],
  ['an address as host', { 'spec/rules/0/host': '10.0.0.1' }, ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address']],
  ['no path type', { [inPath('pathType')]: undefined }, [`${PATH}.pathType: Required value: pathType must be specified`]],
  ['a path type', { [inPath('pathType')]: 'Regex' }, [`${PATH}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`]],
  ['a relative path', { [inPath('path')]: 'x' }, [`${PATH}.path: Invalid value: "x": must be an absolute path`]],
  ['a path that goes back', { [inPath('path')]: '/a/../b' }, [`${PATH}.path: Invalid value: "/a/../b": must not contain '/../'`]],
  ['two ports', { [inPath('backend/service/port/name')]: 'http' }, [`${PATH}.backend: Invalid value: "": cannot set both port name & port number`]],
  ['no service name', { [inPath('backend/service/name')]: '' }, [`${PATH}.backend.service.name: Required value`]],
  ['a TLS host', { 'spec/tls': [{ hosts: ['*.*.x'], secretName: 's' }] }, [
    "spec.tls[0].hosts[0]: Invalid value: \"*.*.x\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]],
])('create an ingress with %s', (_what, changes, expected) => {
  expect(createErrors(ingress, changed(site, changes))).toEqual(expected);
});

test('the old class annotation warns', () => {
  const annotated = changed(site, { 'metadata/annotations': { 'kubernetes.io/ingress.class': 'c' } });
  expect(ingress.warnings!(annotated, undefined)).toEqual(['annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead']);
});

test('cells of an ingress', () => {
  expect(cellsOf(ingress, site)).toEqual(['i', '<none>', 'a.example', '', '80', '<unknown>']);
  expect(cellsOf(ingress, changed(site, { 'spec/tls': [{}], 'spec/rules': [{}], 'status/loadBalancer/ingress': [{ ip: '192.0.2.1' }, { hostname: 'h' }] })).slice(2, 5))
    .toEqual(['*', '192.0.2.1,h', '80, 443']);
});

const policy: V1NetworkPolicy = {
  metadata: { name: 'p', namespace: 'default' },
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 80 }] }] },
};

test('what a policy is about follows from its rules', () => {
  expect(created(networkPolicy, policy).spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] });
  expect(created(networkPolicy, changed(policy, { 'spec/egress': [{}] })).spec!.policyTypes).toEqual(['Ingress', 'Egress']);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a range', { 'spec/ingress/0/from/0/ipBlock': { cidr: '10.0.0.0' } }, [
    'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]],
  ['an exception outside', { 'spec/ingress/0/from/0/ipBlock/except/0': '11.0.0.0/16' }, [
    'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
  ]],
  ['an empty peer', { 'spec/ingress/0/from/0': {} }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
  ['a block and a selector', { 'spec/ingress/0/from/0/podSelector': {} }, ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer']],
  ['an end without start', { 'spec/ingress/0/ports/0': { endPort: 90 } }, ['spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is not specified']],
  ['an end before the start', { 'spec/ingress/0/ports/0/endPort': 79 }, ['spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`']],
  ['a policy type', { 'spec/policyTypes': ['Both'] }, ['spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"']],
])('create a network policy with %s', (_what, changes, expected) => {
  expect(createErrors(networkPolicy, changed(policy, changes))).toEqual(expected);
});

test('addresses are named in their canonical form and stay with their service', () => {
  expect(ipAddress.validateName!('2001:db8:0::1', false)).toEqual(['must be in canonical form ("2001:db8::1")']);
  expect(ipAddress.validateName!('10.0.0.1', false)).toEqual([]);
  const address: V1IPAddress = { metadata: { name: '10.0.0.1' }, spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } } };
  expect(createErrors(ipAddress, address)).toEqual([]);
  expect(updateErrors(ipAddress, address, changed(address, { 'spec/parentRef/name': 't' }))).toEqual([
    'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"t"}: field is immutable',
  ]);
  expect(cellsOf(ipAddress, address)).toEqual(['10.0.0.1', 'services/default/s']);
});

test('a service range may get a second family, but not another first one', () => {
  const range = created(serviceCidr, { metadata: { name: 'k' }, spec: { cidrs: ['10.0.0.0/16'] } });
  expect(updateErrors(serviceCidr, range, changed(range, { 'spec/cidrs/1': '2001:db8::/112' }))).toEqual([]);
  expect(updateErrors(serviceCidr, range, changed(range, { 'spec/cidrs/0': '10.1.0.0/16' }))).toEqual(['spec.cidrs[0]: Invalid value: "10.1.0.0/16": field is immutable']);
  expect(updated(serviceCidr, range, changed(range, { 'spec/cidrs/0': '10.1.0.0/16' }), 'status').spec).toEqual(range.spec);
});
