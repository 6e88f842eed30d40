import type { V1LimitRange, V1ResourceQuota } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updateErrors, type Changes } from '../scheme/testing.js';
import { limitRange } from './limit-range.js';
import { resourceQuota } from './resource-quota.js';

const quota: V1ResourceQuota = { metadata: { name: 'q', namespace: 'default' }, spec: { hard: { 'requests.cpu': '2', pods: '10', 'count/jobs.batch': '4' } } };

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a resource', { 'spec/hard': { 'a b': '1' } }, [
    "spec.hard[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    'spec.hard[a b]: Invalid value: "a b": must be a standard resource for quota',
  ]],
  ['a negative amount', { 'spec/hard/pods': '-1' }, ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']],
  ['half a pod', { 'spec/hard/pods': '500m' }, ['spec.hard[pods]: Invalid value: "500m": must be an integer']],
  ['a scope', { 'spec/scopes': ['Some'], 'spec/hard': { pods: '1' } }, [`spec.scopes: Invalid value: ["Some"]: unsupported scope`]],
  ['scopes that exclude each other', { 'spec/scopes': ['Terminating', 'NotTerminating'], 'spec/hard': { pods: '1' } }, ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes']],
  ['a scope that does not fit the resource', { 'spec/scopes': ['BestEffort'], 'spec/hard': { 'requests.cpu': '1' } }, [
    'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
  ]],
])('create a quota with %s', (_what, changes, expected) => {
  expect(createErrors(resourceQuota, changed(quota, changes))).toEqual(expected);
});

test('scopes of a quota do not change, its amounts do', () => {
  const old = created(resourceQuota, changed(quota, { 'spec/scopes': ['NotTerminating'], 'spec/hard': { pods: '1' } }));
  expect(updateErrors(resourceQuota, old, changed(old, { 'spec/hard/pods': '2' }))).toEqual([]);
  expect(updateErrors(resourceQuota, old, changed(old, { 'spec/scopes': ['Terminating'] }))).toEqual(['spec.scopes: Invalid value: ["Terminating"]: field is immutable']);
});

test('cells of a quota', () => {
  expect(cellsOf(resourceQuota, { ...quota, status: { hard: quota.spec!.hard!, used: { pods: '3' } } })).toEqual(['q', 'count/jobs.batch: 0/4, pods: 3/10, requests.cpu: 0/2', '', '<unknown>']);
});

const limits: V1LimitRange = { metadata: { name: 'l', namespace: 'default' }, spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '100m' }, default: { memory: '1Gi' } }] } };

test('limits of containers are their default, and that their default request', () => {
  expect(created(limitRange, limits).spec!.limits[0]).toEqual({
    type: 'Container', max: { cpu: '2' }, min: { cpu: '100m' }, default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '2', memory: '1Gi' },
  });
});

test('a limit range without a name gets its UID', () => {
  expect(created<V1LimitRange>(limitRange, { metadata: { uid: 'u-1' }, spec: { limits: [] } }).metadata!.name).toBe('u-1');
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['the same type twice', { 'spec/limits/1': { type: 'Container' } }, ['spec.limits[1].type: Duplicate value: "Container"']],
  ['a minimum above the maximum', { 'spec/limits/0/min/cpu': '3' }, [
    'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
    'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2',
    'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 2',
  ]],
  ['defaults for pods', { 'spec/limits/0/type': 'Pod' }, ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"]],
  ['a ratio below one', { 'spec/limits/0/maxLimitRequestRatio': { cpu: '500m' } }, ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1']],
  ['a claim without limits', { 'spec/limits/0': { type: 'PersistentVolumeClaim' } }, ['spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided']],
])('create a limit range with %s', (_what, changes, expected) => {
  expect(createErrors(limitRange, changed(limits, changes))).toEqual(expected);
});
