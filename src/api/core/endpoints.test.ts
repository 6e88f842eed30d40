import type { V1Endpoints, V1EndpointSlice } from '../generated/types.js';
import { endpointSlice } from '../discovery/endpoint-slice.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { endpoints } from './endpoints.js';

const web: V1Endpoints = { metadata: { name: 'web', namespace: 'default' }, subsets: [{ addresses: [{ ip: '10.244.0.5' }], ports: [{ port: 80 }] }] };
const slice: V1EndpointSlice = {
  metadata: { name: 'web-1', namespace: 'default', generation: 1 },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.244.0.5'] }],
  ports: [{ name: 'http', port: 80 }],
};

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no addresses', { 'subsets/0/addresses': [] }, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  ['an address', { 'subsets/0/addresses/0/ip': 'x' }, ['subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)', 'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address']],
  ['a loopback address', { 'subsets/0/addresses/0/ip': '127.0.0.1' }, [
    'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ]],
  ['a port', { 'subsets/0/ports/0/port': 0 }, ['subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive']],
  ['ports without names', { 'subsets/0/ports/1': { port: 81 } }, ['subsets[0].ports[0].name: Required value', 'subsets[0].ports[1].name: Required value']],
])('create endpoints with %s', (_what, changes, expected) => {
  expect(createErrors(endpoints, changed(web, changes))).toEqual(expected);
});

test('endpoints are deprecated, and show their first addresses', () => {
  expect(created(endpoints, web).subsets![0]!.ports).toEqual([{ port: 80, protocol: 'TCP' }]);
  expect(endpoints.deprecation).toBe('v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice');
  const many = changed(web, { 'subsets/0/addresses': [1, 2, 3, 4, 5].map((i) => ({ ip: `10.0.0.${i}` })) });
  expect(cellsOf(endpoints, many)).toEqual(['web', '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...', '<unknown>']);
  expect(cellsOf(endpoints, { metadata: { name: 'web' } })[1]).toBe('<none>');
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['an address type', { addressType: 'IPv5' }, ['addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"']],
  ['an address of another family', { 'endpoints/0/addresses/0': '2001:db8::1' }, ['endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address']],
  ['no address', { 'endpoints/0/addresses': [] }, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
  ['too many addresses', { 'endpoints/0/addresses': Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }, ['endpoints[0].addresses: Too many: 101: must have at most 100 items']],
  ['a node name', { 'endpoints/0/nodeName': 'A' }, [
    "endpoints[0].nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]],
  ['the same port name twice', { 'ports/1': { name: 'http', port: 81 } }, ['ports[1].name: Duplicate value: "http"']],
  ['a protocol', { 'ports/0/protocol': 'ICMP' }, ['ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"']],
])('create a slice with %s', (_what, changes, expected) => {
  expect(createErrors(endpointSlice, changed(slice, changes))).toEqual(expected);
});

test('the address type of a slice does not change', () => {
  const old = created(endpointSlice, slice);
  expect(updateErrors(endpointSlice, old, changed(old, { addressType: 'FQDN', 'endpoints/0/addresses/0': 'a.example' }))).toEqual(['addressType: Invalid value: "FQDN": field is immutable']);
});

test('the generation of a slice counts labels, but not annotations', () => {
  const old = created(endpointSlice, slice);
  const generation = (changes: Changes): number | undefined => updated(endpointSlice, old, changed(old, changes)).metadata!.generation;
  expect(generation({ 'metadata/annotations/a': 'b' })).toBe(1);
  expect(generation({ 'metadata/labels/a': 'b' })).toBe(2);
  expect(generation({ 'endpoints/0/hostname': 'a' })).toBe(2);
});

test('cells of a slice', () => {
  expect(cellsOf(endpointSlice, slice)).toEqual(['web-1', 'IPv4', '80', '10.244.0.5', '<unknown>']);
  expect(cellsOf(endpointSlice, { ...slice, ports: [], endpoints: [] }).slice(2, 4)).toEqual(['<unset>', '<unset>']);
});
