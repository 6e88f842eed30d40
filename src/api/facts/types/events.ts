import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.events.v1`. */
export const events: PackageFacts = {
  package: 'io.k8s.api.events.v1',
  group: 'events.k8s.io',
  version: 'v1',
  plain: `
    EventList EventSeries
  `,
  types: {
    Event: 'metadata!; regarding=; deprecatedSource=; deprecatedFirstTimestamp=; deprecatedLastTimestamp=',
  },
};
