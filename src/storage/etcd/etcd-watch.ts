import { sleep, type CancelTimer, type Clock } from '../../base/clock.js';
import { errorMessage, KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { compareKeys } from '../engine/order.js';
import type { KeyValue, Revision, StoreEvent, StoreWatch, StoreWatchOptions } from '../store.js';
import { EtcdCallError } from './call-error.js';
import type { EtcdConnection } from './connection.js';
import type { Layout } from './layout.js';
import { decodeWatch, encodeWatch, type EtcdKeyValue, type WatchEvent, type WatchResponse } from './messages.js';

const FIRST_PAUSE_MILLISECONDS = 50;
const LONGEST_PAUSE_MILLISECONDS = 1_000;
/** A watch that has not seen a revision of which others know after this time is opened again, at another member. */
const PATIENCE_MILLISECONDS = 2_000;

interface Waiter {
  readonly revision: Revision;
  readonly done: () => void;
}

/**
 * One watch of a store. It follows everything under the prefix, so that it sees each write's revision also when the write is out of
 * its range, and goes on after the last revision seen when its stream breaks.
 */
export class EtcdWatch implements StoreWatch {
  private seen: Revision;
  private stream: { readonly fail: (reason: string) => void; readonly cancel: () => void } | undefined;
  private open = true;
  private waiters: Waiter[] = [];
  private cancelPatience: CancelTimer | undefined;
  private resuming = false;

  constructor(
    private readonly options: StoreWatchOptions,
    private readonly connection: EtcdConnection,
    private readonly layout: Layout,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** The bytes as this process has them, when it wrote them. */
    private readonly own: (key: string, value: Buffer) => Buffer,
    private readonly onClose: (watch: EtcdWatch) => void,
  ) {
    this.seen = options.fromRevision - 1;
  }

  /** Begins; resolves when etcd has confirmed it. */
  async start(): Promise<void> {
    await this.connect();
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.release();
  }

  /** Ends the watch and says so. */
  end(error: Error): void {
    if (!this.open) return;
    this.close();
    this.options.onEnd(error);
  }

  /** Resolves when everything up to `revision` was handed over, the watch has ended, or it has been opened again in vain. */
  reach(revision: Revision): Promise<void> | undefined {
    if (!this.open || revision <= this.seen) return undefined;
    return new Promise((resolve) => {
      this.waiters.push({ revision, done: resolve });
      this.expect(revision);
    });
  }

  /** Others have seen `revision`: it has to come here soon. */
  expect(revision: Revision): void {
    if (!this.open || revision <= this.seen || this.cancelPatience) return;
    this.cancelPatience = this.clock.setTimeout(
      () => {
        this.cancelPatience = undefined;
        if (this.seen >= revision) return;
        this.log.warn('the watch of etcd is behind; it is opened again', { seen: this.seen, expected: revision });
        // Whoever waits has waited long enough: the write has happened.
        this.wake(Infinity);
        this.stream?.fail('it is behind');
      },
      PATIENCE_MILLISECONDS,
      { unref: true },
    );
  }

  private release(): void {
    this.cancelPatience?.();
    this.stream?.cancel();
    this.onClose(this);
    this.wake(Infinity);
  }

  private wake(revision: Revision): void {
    if (this.waiters.length === 0) return;
    const due = this.waiters.filter((waiter) => waiter.revision <= revision);
    this.waiters = this.waiters.filter((waiter) => waiter.revision > revision);
    for (const waiter of due) waiter.done();
  }

  /** Opens a stream. Rejects when it ends before etcd has confirmed the watch; what happens later leads to {@link resume}. */
  private async connect(): Promise<void> {
    const { endpoint, token } = await this.connection.watchable();
    if (!this.open) return;
    await new Promise<void>((resolve, reject) => {
      let created = false;
      let over = false;
      const failed = (error: EtcdCallError | undefined, reason: string): void => {
        if (over) return;
        over = true;
        call.cancel();
        this.stream = undefined;
        this.connection.failed(endpoint, error);
        if (!created) reject(error ?? new KubeError('KUBE_STORE_UNAVAILABLE', `the watch of etcd ended: ${reason}`));
        else if (this.open) void this.resume(reason);
      };
      const { watchStart, watchEnd } = this.layout;
      const request = encodeWatch({ key: watchStart, end: watchEnd, revision: this.seen + 1, previous: this.options.previous !== false });
      const call = endpoint.watch(token, request, {
        onMessage: (message) => {
          if (over) return;
          const response = decodeWatch(message);
          const refusal = this.refusal(response);
          if (refusal instanceof KubeError) {
            resolve();
            this.end(refusal);
          } else if (refusal) failed(new EtcdCallError(0, refusal, endpoint.url, true), refusal);
          else if (response.created) {
            created = true;
            resolve();
          } else this.take(response);
        },
        onDone: (error) => failed(error, error?.details ?? 'etcd ended the stream'),
      });
      this.stream = {
        fail: (reason) => failed(undefined, reason),
        cancel: () => {
          over = true;
          call.cancel();
          resolve();
        },
      };
    });
  }

  /** Why the watch cannot go on: for good ({@link KubeError}), or over this stream (a text). */
  private refusal(response: WatchResponse): KubeError | string | undefined {
    const { header, compactRevision, canceled, cancelReason, created } = response;
    if (compactRevision > 0) return new KubeError('KUBE_STORE_COMPACTED', `revision ${this.seen + 1} has been compacted: the oldest one to watch from is ${compactRevision}`);
    if (canceled) return cancelReason || 'etcd canceled the watch';
    if (created && header.clusterId !== this.connection.clusterId) return `cluster ${header.clusterId.toString(16)} answers, not ${this.connection.clusterId.toString(16)}`;
    if (created && header.revision < this.seen) return new KubeError('KUBE_STORE_COMPACTED', `etcd is at revision ${header.revision}, but ${this.seen} has been seen: it was restored from an older copy`);
    return undefined;
  }

  private async resume(reason: string): Promise<void> {
    if (this.resuming) return;
    this.resuming = true;
    this.log.info('the watch of etcd is interrupted', { after: this.seen, reason });
    for (let pause = FIRST_PAUSE_MILLISECONDS; this.open; pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)) {
      await sleep(this.clock, pause);
      try {
        if (this.open) await this.connect();
        break;
      } catch (error) {
        this.log.info('the watch of etcd cannot go on yet', { after: this.seen, reason: errorMessage(error) });
      }
    }
    this.resuming = false;
    // It may have ended again in the very turn in which it began.
    if (this.open && !this.stream) void this.resume('the stream ended at once');
  }

  /** Hands one answer over. etcd never cuts a transaction in two unless it is asked to send fragments. */
  private take(response: WatchResponse): void {
    const newest = response.events.at(-1)?.kv.modRevision ?? 0;
    if (newest <= this.seen) return;
    const events: StoreEvent[] = [];
    for (const event of response.events) {
      if (event.kv.modRevision <= this.seen) continue;
      const key = this.layout.storeKey(event.kv.key);
      if (key === undefined || compareKeys(key, this.options.start) < 0 || compareKeys(key, this.options.end) >= 0) continue;
      events.push(this.eventOf(key, event));
    }
    this.seen = newest;
    this.options.onBatch({ events, revision: newest });
    this.wake(newest);
  }

  private eventOf(key: string, { type, kv, previous }: WatchEvent): StoreEvent {
    const before = previous && keyValueOf(key, previous);
    if (type === 'put') return { type, key, value: this.own(kv.key, kv.value), previous: before, createRevision: kv.createRevision, revision: kv.modRevision };
    return { type, key, value: before?.value ?? kv.value, previous: before, createRevision: before?.createRevision ?? 0, revision: kv.modRevision };
  }
}

/** With the key as the store knows it. */
export function keyValueOf(key: string, { value, createRevision, modRevision }: EtcdKeyValue): KeyValue {
  return { key, value, createRevision, modRevision };
}
