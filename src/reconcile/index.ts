export type * from './reconcile.js';
export { createWorkQueue, type WorkQueueOptions, type WorkSource } from './queue/work-queue.js';
export { runWorkers, type Workers, type WorkersOptions } from './queue/workers.js';
export { createQueueMetrics, noQueueMetrics, type QueueMetrics } from './queue/metrics.js';
export { EventLoopTurns } from './queue/event-loop-turns.js';
export { createEventRecorder, type EventRecorderOptions, type StoppableEventRecorder } from './events/recorder.js';
export { createSeriesEventRecorder, type SeriesEventRecorderOptions } from './events/series-recorder.js';
export { runLeaderElection, type LeaderElectionOptions } from './election/leader-election.js';
export { electedComponent } from './election/elected-component.js';
