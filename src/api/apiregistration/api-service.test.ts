import type { V1APIService } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, type Changes } from '../scheme/testing.js';
import { apiService } from './api-service.js';

const remote: V1APIService = {
  metadata: { name: 'v1.a.example' },
  spec: { group: 'a.example', version: 'v1', service: { name: 's', namespace: 'n' }, groupPriorityMinimum: 1000, versionPriority: 10 },
};

test('services are asked on port 443; local ones are available at once', () => {
  const local = created(apiService, changed(remote, { 'spec/service': undefined }));
  expect(created(apiService, remote)).toMatchObject({ spec: { service: { port: 443 } }, status: {} });
  expect(local.status!.conditions).toEqual([
    { type: 'Available', status: 'True', lastTransitionTime: '2026-06-01T12:00:00Z', reason: 'Local', message: 'Local APIServices are always available' },
  ]);
  expect(cellsOf(apiService, local)).toEqual(['v1.a.example', 'Local', 'True', '<unknown>']);
  expect(cellsOf(apiService, remote).slice(1, 3)).toEqual(['n/s', 'Unknown']);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['another name', { 'metadata/name': 'v2.a.example' }, ['metadata.name: Invalid value: "v2.a.example": must be `spec.version+"."+spec.group`: "v1.a.example"']],
  ['a priority', { 'spec/versionPriority': 1001 }, ['spec.versionPriority: Invalid value: 1001: must be positive and less than 1000']],
  ['no service name', { 'spec/service/name': '' }, ['spec.service.name: Required value']],
  ['a port', { 'spec/service/port': 70000 }, ['spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive']],
  ['trust without a service', { 'spec/service': undefined, 'spec/insecureSkipTLSVerify': true }, [
    'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
  ]],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(apiService, changed(remote, changes))).toEqual(expected);
});
