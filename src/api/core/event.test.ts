import type { CoreV1Event } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, testContext, updateErrors, type Changes } from '../scheme/testing.js';
import { event } from './event.js';

const old: CoreV1Event = {
  apiVersion: 'v1', kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Started', message: 'it runs\n', type: 'Normal', count: 3,
  source: { component: 'kubelet', host: 'n1' },
  firstTimestamp: '2026-06-01T11:00:00Z', lastTimestamp: '2026-06-01T11:59:00Z',
};
const fresh: CoreV1Event = {
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  eventTime: '2026-06-01T11:00:00.000000Z', reportingComponent: 'example.com/c', reportingInstance: 'c-1', action: 'Start', reason: 'Started', type: 'Normal',
};
const newer = { ...testContext, apiVersion: 'events.k8s.io/v1' };

test.each<[string, CoreV1Event, Changes, string[]]>([
  ['nothing', old, {}, []],
  ['another namespace', old, { 'involvedObject/namespace': 'other' }, ['involvedObject.namespace: Invalid value: "other": does not match event.namespace']],
  ['a cluster-scoped object', old, { 'involvedObject/namespace': '' }, []],
  ['a time but no reporter', fresh, { reportingComponent: '', reportingInstance: '' }, [
    'reportingComponent: Required value',
    "reportingComponent: Invalid value: \"\": name part must be non-empty",
    "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    'reportingInstance: Required value',
  ]],
])('v1 event with %s', (_what, object, changes, expected) => {
  expect(createErrors(event, changed(object, changes))).toEqual(expected);
});

test.each<[string, CoreV1Event, Changes, string[]]>([
  ['nothing', fresh, {}, []],
  ['the old fields', fresh, { count: 1, 'source/host': 'n' }, ['count: Invalid value: "": needs to be unset', 'source: Invalid value: "": needs to be unset']],
  ['a type', fresh, { type: 'Odd' }, ['type: Invalid value: "": has invalid value: Odd']],
  ['a series of one', fresh, { series: { count: 1, lastObservedTime: '2026-06-01T11:00:00.000000Z' } }, ['series.count: Invalid value: "": should be at least 2']],
])('events.k8s.io event with %s', (_what, object, changes, expected) => {
  expect(createErrors(event, changed(object, changes), newer)).toEqual(expected);
});

test('only the newer API refuses changes', () => {
  const stored = created(event, fresh);
  const wanted = changed(stored, { 'involvedObject/name': 'q' });
  expect(updateErrors(event, stored, wanted)).toEqual([]);
  expect(updateErrors(event, stored, wanted, '', newer)).toEqual([
    'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
  ]);
});

test('the two forms of an event', () => {
  const { toHub, fromHub } = event.conversions!['events.k8s.io/v1']!;
  const shown = fromHub(old);
  expect(shown).toMatchObject({
    apiVersion: 'events.k8s.io/v1', kind: 'Event', regarding: old.involvedObject, note: old.message, deprecatedCount: 3, deprecatedSource: old.source,
    deprecatedFirstTimestamp: old.firstTimestamp, deprecatedLastTimestamp: old.lastTimestamp, reason: 'Started', type: 'Normal',
  });
  expect(shown).not.toHaveProperty('involvedObject');
  expect(toHub(shown)).toMatchObject(old);
});

test('cells', () => {
  expect(cellsOf(event, old)).toEqual(['60s', 'Normal', 'Started', 'pod/p', '', 'kubelet, n1', 'it runs', '60m', 3, 'e']);
  expect(cellsOf(event, { ...fresh, series: { count: 7, lastObservedTime: '2026-06-01T11:58:00.000000Z' } })[0]).toBe('2m');
});
