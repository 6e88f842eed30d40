import type { CoreV1Event } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { EVENTS } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Client } from '../../client/index.js';
import type { EventDetails, EventRecorder } from '../reconcile.js';
import { EventCorrelator } from './correlator.js';
import { EventNames } from './event-names.js';
import { EventSink } from './event-sink.js';

/** What a recorder needs. The client must be allowed to create and patch Events in all namespaces. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** `source.component`, e.g. `deployment-controller`. */
  readonly component: string;
  /** `source.host`, for node agents. */
  readonly host?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A recorder that can be shut. */
export interface StoppableEventRecorder extends EventRecorder {
  /** Resolves when what was recorded is sent, or given up after `deadlineMilliseconds`. */
  stop(deadlineMilliseconds: number): Promise<void>;
}

/** Records core/v1 Events in the background, correlated as upstream does. */
export function createEventRecorder(options: EventRecorderOptions): StoppableEventRecorder {
  const correlator = new EventCorrelator(options.clock);
  const names = new EventNames(options.random);
  const events = options.client.resource(EVENTS);
  const sink = new EventSink<CoreV1Event>({
    ...options,
    subject: ({ involvedObject }) => `${involvedObject.namespace ?? ''}/${involvedObject.name ?? ''}`,
    prepare: (recorded) => {
      const correlated = correlator.correlate(recorded);
      if (correlated.action === 'drop') return undefined;
      const { metadata, count, lastTimestamp, message } = correlated.event;
      return {
        create: correlated.action === 'create',
        send: (create) =>
          create ? events.create(correlated.event) : events.patch(metadata.namespace ?? '', metadata.name ?? '', 'strategic', { count, lastTimestamp, message }),
      };
    },
  });
  return { ...recorderFor(sink, names, options, options.component, options.host ?? ''), stop: (deadline) => sink.stop(deadline) };
}

function recorderFor(sink: EventSink<CoreV1Event>, names: EventNames, options: EventRecorderOptions, component: string, host: string): EventRecorder {
  return {
    event: (object, type, reason, message, details) => sink.record(makeEvent(options, names, component, host, object, type, reason, message, details)),
    withComponent: (other, otherHost = host) => recorderFor(sink, names, options, other, otherHost),
  };
}

function makeEvent(
  options: EventRecorderOptions, names: EventNames, component: string, host: string, object: KubeObject, type: string, reason: string, message: string, details: EventDetails = {},
): CoreV1Event {
  const { metadata = {} } = object;
  const now = options.clock.now();
  const timestamp = names.timestamp(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${metadata.name ?? ''}.${names.suffix(now)}`,
      namespace: metadata.namespace || 'default',
      ...(details.annotations ? { annotations: details.annotations } : {}),
    },
    involvedObject: {
      ...(object.kind ? { kind: object.kind } : {}),
      ...(object.apiVersion ? { apiVersion: object.apiVersion } : {}),
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      ...(metadata.name ? { name: metadata.name } : {}),
      ...(metadata.uid ? { uid: metadata.uid } : {}),
      ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
      ...(details.fieldPath ? { fieldPath: details.fieldPath } : {}),
    },
    reason,
    message,
    type,
    source: { component, ...(host ? { host } : {}) },
    reportingComponent: component,
    reportingInstance: host,
    count: 1,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
  };
}
