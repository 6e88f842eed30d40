import type { Draft } from '../draft.js';
import type { CoreV1Event } from '../generated/types.js';
import { ageText } from '../helpers/duration.js';
import { text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { eventFromHub, eventToHub } from './event-conversion.js';
import { validateEventCreate, validateEventUpdate } from './event-validation.js';

/** What `events.k8s.io/v1` calls the fields that can be selected. */
const EVENT_FIELDS: Readonly<Record<string, string>> = {
  reason: 'reason', type: 'type', reportingController: 'reportingComponent',
  ...Object.fromEntries(['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
};

export const event = defineKind<CoreV1Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  // `v1` has no rule but that of every path; the newer API's is in its validation.
  validateName: () => [],
  defaults: defaultEvent,
  validate: validateEventCreate,
  validateUpdate: validateEventUpdate,
  conversions: { 'events.k8s.io/v1': { toHub: eventToHub, fromHub: eventFromHub, fieldLabels: EVENT_FIELDS } },
  selectableFields: {
    'involvedObject.kind': (object) => object.involvedObject?.kind ?? '',
    'involvedObject.namespace': (object) => object.involvedObject?.namespace ?? '',
    'involvedObject.name': (object) => object.involvedObject?.name ?? '',
    'involvedObject.uid': (object) => object.involvedObject?.uid ?? '',
    'involvedObject.apiVersion': (object) => object.involvedObject?.apiVersion ?? '',
    'involvedObject.resourceVersion': (object) => object.involvedObject?.resourceVersion ?? '',
    'involvedObject.fieldPath': (object) => object.involvedObject?.fieldPath ?? '',
    reason: (object) => object.reason ?? '',
    reportingComponent: (object) => object.reportingComponent ?? '',
    source: (object) => object.source?.component || (object.reportingComponent ?? ''),
    type: (object) => object.type ?? '',
  },
  columns: [
    { name: 'Last Seen', type: 'string', cell: lastSeen },
    text('Type', (object) => object.type ?? ''),
    text('Reason', (object) => object.reason ?? ''),
    text('Object', (object) => {
      const kind = (object.involvedObject?.kind ?? '').toLowerCase();
      return object.involvedObject?.name ? `${kind}/${object.involvedObject.name}` : kind;
    }),
    text('Subobject', (object) => object.involvedObject?.fieldPath ?? '', 1),
    text('Source', sourceText, 1),
    text('Message', (object) => (object.message ?? '').trim()),
    { name: 'First Seen', type: 'string', priority: 1, cell: firstSeen },
    text('Count', (object) => (object.series ? (object.series.count ?? 0) : object.count || 1), 1),
    { name: 'Name', type: 'string', format: 'name', priority: 1, cell: (object) => object.metadata?.name ?? '' },
  ],
});

function defaultEvent(draft: Draft<CoreV1Event>): void {
  // Fields that are always present in what upstream answers.
  draft.involvedObject ??= {};
  draft.source ??= {};
  draft.reportingComponent ??= '';
  draft.reportingInstance ??= '';
}

function firstSeen(object: CoreV1Event, now: number): string {
  return ageText(object.firstTimestamp || object.eventTime, now);
}

function lastSeen(object: CoreV1Event, now: number): string {
  if (object.series !== undefined) return ageText(object.series.lastObservedTime, now);
  return object.lastTimestamp ? ageText(object.lastTimestamp, now) : firstSeen(object, now);
}

function sourceText(object: CoreV1Event): string {
  const component = object.source?.component || (object.reportingComponent ?? '');
  const instance = object.source?.host || (object.reportingInstance ?? '');
  return instance === '' ? component : `${component}, ${instance}`;
}
