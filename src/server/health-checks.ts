import type { Clock } from '../base/clock.js';
import type { Store } from '../storage/index.js';
import type { Health, HealthCheck } from './http/health.js';
import { storeAnswers } from './store-health.js';

/** How far the server has come with its start; asked at each check. */
export interface StartProgress {
  /** The watch caches have been read from the store, and with them the definitions of custom resources. */
  readonly cachesLoaded: boolean;
  /** The chain of admission is put together. */
  readonly admissionReady: boolean;
  /** Definitions of custom resources are followed: what they define comes and goes with them. */
  readonly definitionsFollowed: boolean;
  readonly stopping: boolean;
}

/**
 * The checks of what the server itself consists of, under upstream's names and in its order; those of the post-start hooks come after them.
 * Upstream's others are of parts that are not there, and have no checks here: the certificate of a loopback connection, priority and fairness,
 * object counts for it, identity leases of servers, peers, aggregation.
 */
export function addServerChecks(health: Health, store: Store, clock: Clock, progress: StartProgress): void {
  const started = (name: string, isDone: () => boolean): void => health.add({ name, check: () => must(isDone(), 'not finished') });
  health.add({ name: 'ping', check: () => undefined });
  // The log is written synchronously: a server that cannot write it answers nothing.
  health.add({ name: 'log', check: () => undefined });
  health.add({ name: 'etcd', check: () => storeAnswers(store, clock) });
  health.add({ name: 'etcd-readiness', check: () => storeAnswers(store, clock) }, ['readyz']);
  health.add({ name: 'informer-sync', check: () => must(progress.cachesLoaded, 'the watch caches are not loaded') }, ['readyz']);
  started('poststarthook/start-apiserver-admission-initializer', () => progress.admissionReady);
  started('poststarthook/generic-apiserver-start-informers', () => progress.cachesLoaded);
  started('poststarthook/start-apiextensions-informers', () => progress.cachesLoaded);
  started('poststarthook/start-apiextensions-controllers', () => progress.definitionsFollowed);
  started('poststarthook/crd-informer-synced', () => progress.cachesLoaded);
  started('poststarthook/storage-readiness', () => progress.cachesLoaded);
}

/** Those of the parts, and whether the server is on its way out. */
export function addLastChecks(health: Health, checks: readonly HealthCheck[], progress: StartProgress): void {
  for (const check of checks) health.add(check);
  health.add({ name: 'shutdown', check: () => must(!progress.stopping, 'process is shutting down') }, ['readyz']);
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
