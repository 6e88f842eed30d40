import type { KubeError } from '../../../base/errors.js';
import type { ContainerRecord } from './records.js';

/** What is kept of a container in memory beside its record. */
export class ContainerEntry {
  /** Resolves once it has ended, or cannot be ended. */
  readonly ended: Promise<void>;
  private readonly over = new AbortController();
  /** It was asked to end. */
  asked = false;
  /** When it will be killed, in milliseconds since the epoch. */
  killAt = Infinity;
  cancelKill: () => void = () => undefined;
  /** Why it cannot be ended. */
  failure: KubeError | undefined;
  private resolve!: () => void;

  constructor(public record: ContainerRecord) {
    this.ended = new Promise((resolve) => (this.resolve = resolve));
    if (record.state === 'exited') this.end();
  }

  /** Aborts once it has ended; its log is complete then. */
  get exit(): AbortSignal {
    return this.over.signal;
  }

  end(): void {
    this.failure = undefined;
    this.cancelKill();
    this.over.abort();
    this.resolve();
  }

  fail(error: KubeError): void {
    this.failure = error;
    this.resolve();
  }
}
