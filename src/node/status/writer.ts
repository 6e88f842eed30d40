import type { V1Pod, V1PodStatus } from '../../api/generated/types.js';
import { PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Client, ResourceClient } from '../../client/index.js';
import { statusPatch } from './patch.js';

/** A pod whose status is reported. The writer reads it when its turn comes, so that what changed meanwhile is one write. */
export interface StatusSource {
  /** The newest state of the object that is known. */
  readonly latest: V1Pod;
  /** What is to be reported; undefined: nothing yet. */
  readonly desired: V1PodStatus | undefined;
  /** Nothing of the pod runs any more and nothing will: it may be removed once somebody asked for that. */
  readonly finished: boolean;
  /** The API answered with this state. */
  written(pod: V1Pod): void;
  /** The object does not exist any more. */
  gone(): void;
}

export interface StatusWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long changes are collected; default 10. */
  readonly delayMilliseconds?: number;
  /** Requests under way at once; default 16. */
  readonly concurrency?: number;
}

/** Writes pod statuses: collected, each pod once at a time, only what changed. It also removes pods that have ended and are to be deleted. */
export class StatusWriter {
  private readonly pods: ResourceClient<V1Pod>;
  private readonly queue = new Set<StatusSource>();
  private readonly failures = new Map<StatusSource, number>();
  private active = new Set<StatusSource>();
  private cancel: CancelTimer | undefined;
  private stopped = false;

  constructor(private readonly options: StatusWriterOptions) {
    this.pods = options.client.resource(PODS);
  }

  /** Number of pods that wait or are being written. */
  get pending(): number {
    return this.queue.size + this.active.size;
  }

  /** Something about the pod is to be reported. */
  enqueue(source: StatusSource): void {
    if (this.stopped) return;
    this.queue.add(source);
    this.cancel ??= this.options.clock.setTimeout(() => this.drain(), this.options.delayMilliseconds ?? 10);
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
    this.queue.clear();
  }

  private drain(): void {
    this.cancel = undefined;
    const limit = this.options.concurrency ?? 16;
    for (const source of this.queue) {
      if (this.active.size >= limit) return;
      // One that is being written comes again when it is done.
      if (this.active.has(source)) continue;
      this.queue.delete(source);
      this.active.add(source);
      void this.write(source);
    }
  }

  private async write(source: StatusSource): Promise<void> {
    try {
      if (await this.report(source)) await this.removeIfEnded(source);
      this.failures.delete(source);
    } catch (error) {
      if (isGone(error)) {
        this.failures.delete(source);
        source.gone();
      } else this.retry(source, error);
    } finally {
      this.active.delete(source);
      if (this.queue.size > 0 && !this.stopped) this.cancel ??= this.options.clock.setTimeout(() => this.drain(), 0);
    }
  }

  /** False when there is nothing to report yet. */
  private async report(source: StatusSource): Promise<boolean> {
    const { latest, desired } = source;
    if (!desired) return false;
    const { uid = '', namespace = '', name = '' } = latest.metadata ?? {};
    const patch = statusPatch(uid, latest.status, desired);
    if (patch) source.written(await this.pods.patch(namespace, name, 'strategic', patch, 'status'));
    return true;
  }

  private async removeIfEnded(source: StatusSource): Promise<void> {
    const { metadata, status } = source.latest;
    if (!source.finished || !metadata?.deletionTimestamp || (status?.phase !== 'Succeeded' && status?.phase !== 'Failed')) return;
    await this.pods.delete(metadata.namespace ?? '', metadata.name ?? '', { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid ?? '' } });
  }

  private retry(source: StatusSource, error: unknown): void {
    if (this.stopped) return;
    const count = (this.failures.get(source) ?? 0) + 1;
    this.failures.set(source, count);
    const { namespace, name } = source.latest.metadata ?? {};
    this.options.log.warn('pod status not written; trying again', { pod: `${namespace}/${name}`, error: errorMessage(error), failures: count });
    this.options.clock.setTimeout(() => this.enqueue(source), Math.min(30_000, 500 * 2 ** Math.min(count, 6)), { unref: true });
  }
}

/** The object, or this one of its name, does not exist any more. */
function isGone(error: unknown): boolean {
  return StatusError.is(error, 'NotFound') || (error instanceof StatusError && error.reason === 'Conflict' && /uid/i.test(error.message));
}
