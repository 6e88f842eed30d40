import type { Clock } from '../../base/clock.js';
import { EtcdCallError, GRPC } from './call-error.js';
import { GrpcChannel, type CallEvents, type GrpcCall } from './grpc/channel.js';
import type { EtcdLocation } from './options.js';

/** The connection to one member. */
export class Endpoint {
  private readonly channel: GrpcChannel;

  constructor(
    readonly url: string,
    location: EtcdLocation,
    clock: Clock,
  ) {
    this.channel = new GrpcChannel(url, location, clock);
  }

  /** One request and its answer. Throws {@link EtcdCallError}. */
  async unary<T>(method: string, request: Buffer, decode: (bytes: Buffer) => T, token: string | undefined, milliseconds: number): Promise<T> {
    const answer = await this.channel.unary(method, token, request, milliseconds);
    try {
      return decode(answer);
    } catch (error) {
      throw error instanceof RangeError ? new EtcdCallError(GRPC.internal, error.message, this.url, false) : error;
    }
  }

  /** Opens a stream of watches with its first request. */
  watch(token: string | undefined, request: Buffer, events: CallEvents): GrpcCall {
    return this.channel.begin('/etcdserverpb.Watch/Watch', token, request, false, events);
  }

  close(): void {
    this.channel.close();
  }
}
