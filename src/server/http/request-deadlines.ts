import type { CancelTimer, Clock } from '../../base/clock.js';
import { timeoutError } from '../../api/status-error.js';
import type { RequestInfo } from '../handler/request-info.js';
import type { AnyResponse } from './connection-identity.js';
import { writeStatus } from './response-writer.js';

/** Overdue requests are looked for this often: a timer for each would cost more than most requests do. */
const SWEEP_MILLISECONDS = 1_000;
const LONG_RUNNING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Ends requests that take too long with a 504; what they did may still take effect. */
export class RequestDeadlines {
  /** Of clients that do not want to wait for as long as that. */
  private readonly shorter = new Map<AnyResponse, CancelTimer>();
  /** In order of their deadlines, since all have the same time. */
  private readonly deadlines = new Map<AnyResponse, number>();
  private cancel: CancelTimer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limitMilliseconds: number,
  ) {}

  /** True for requests that may take as long as they want. */
  static isLongRunning(info: RequestInfo): boolean {
    return info.verb === 'watch' || info.verb === 'proxy' || LONG_RUNNING.has(info.subresource);
  }

  /** `wanted`: the milliseconds that the client waits, if it said so; what is above the limit is cut. */
  begin(response: AnyResponse, began: number, wanted: number | undefined): void {
    if (wanted !== undefined && wanted < this.limitMilliseconds) {
      this.shorter.set(response, this.clock.setTimeout(() => this.expire(response), wanted, { unref: true }));
      return;
    }
    this.deadlines.set(response, began + this.limitMilliseconds);
    if (this.cancel) return;
    this.cancel = this.clock.setTimeout(() => this.sweep(), SWEEP_MILLISECONDS, { unref: true });
  }

  end(response: AnyResponse): void {
    this.shorter.get(response)?.();
    this.shorter.delete(response);
    this.deadlines.delete(response);
  }

  private sweep(): void {
    this.cancel = undefined;
    const now = this.clock.monotonic();
    for (const [response, deadline] of this.deadlines) {
      if (deadline > now) break;
      this.expire(response);
    }
    if (this.deadlines.size > 0) this.cancel = this.clock.setTimeout(() => this.sweep(), SWEEP_MILLISECONDS, { unref: true });
  }

  private expire(response: AnyResponse): void {
    this.end(response);
    if (response.headersSent) return void response.destroy();
    refuseRest(response);
    writeStatus(response, timeoutError('request did not complete within the allotted timeout'), { acceptEncoding: '', warnings: [] }).catch(() => response.destroy());
  }
}

/** What is still to come of the request when it has been answered is not waited for. */
function refuseRest(response: AnyResponse): void {
  if (!('stream' in response)) {
    if (!response.req.complete) response.shouldKeepAlive = false;
    return;
  }
  const { stream } = response;
  if (!stream.readableEnded) stream.once('finish', () => stream.destroy());
}
