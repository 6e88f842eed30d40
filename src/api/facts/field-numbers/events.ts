/** Field numbers in protobuf of the types of `io.k8s.api.events.v1`; the notation is explained in index.ts. */
export const events: Readonly<Record<string, string>> = {
  Event: `
    metadata eventTime series reportingController reportingInstance action reason regarding related note type deprecatedSource
    deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount
  `,
  EventList: 'metadata items',
  EventSeries: 'count lastObservedTime',
};
