import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { Client, credentials, Metadata, type ChannelCredentials, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../base/clock.js';
import { EtcdCallError, GRPC } from './call-error.js';
import { decodeWatch, type WatchResponse } from './messages.js';
import type { EtcdLocation } from './options.js';

/** A stream of watch answers. */
export type WatchStream = ClientDuplexStream<Buffer, WatchResponse>;

const CHANNEL_OPTIONS = {
  // A member that is gone without a word is noticed after this and the timeout. etcd refuses clients that ask more often than every 5 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  // Channels of one process share nothing: several clusters run in it.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
} as const;

const asIs = (bytes: Buffer): Buffer => bytes;

/** The gRPC channel to one member. */
export class Endpoint {
  private readonly client: Client;

  constructor(
    readonly url: string,
    location: EtcdLocation,
    private readonly clock: Clock,
  ) {
    const { protocol, hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const secure = protocol === 'https:';
    const address = `${isIP(host) === 4 ? 'ipv4:' : isIP(host) === 6 ? 'ipv6:' : 'dns:'}${isIP(host) === 6 ? `[${host}]` : host}:${port === '' ? (secure ? 443 : 80) : port}`;
    // A name must be sent, and addresses are none; the certificate is checked against the address all the same.
    const override = secure && isIP(host) > 0 ? { 'grpc.ssl_target_name_override': 'localhost' } : {};
    this.client = new Client(address, secure ? tlsCredentials(host, location) : credentials.createInsecure(), { ...CHANNEL_OPTIONS, ...override });
  }

  /** One request and its answer. Throws {@link EtcdCallError}. */
  unary<T>(method: string, request: Buffer, decode: (bytes: Buffer) => T, token: string | undefined, milliseconds: number): Promise<T> {
    return new Promise((resolve, reject) => {
      let late = false;
      const call = this.client.makeUnaryRequest(method, asIs, decode, request, metadataWith(token), {}, (error, value) => {
        cancelTimer();
        if (!error) resolve(value as T);
        else reject(late ? new EtcdCallError(GRPC.deadlineExceeded, `no answer within ${Math.round(milliseconds / 100) / 10} s`, this.url, false) : this.errorOf(error));
      });
      const cancelTimer = this.clock.setTimeout(() => {
        late = true;
        call.cancel();
      }, milliseconds);
    });
  }

  watch(token: string | undefined): WatchStream {
    return this.client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', asIs, decodeWatch, metadataWith(token), {});
  }

  errorOf(error: ServiceError): EtcdCallError {
    const details = error.details || error.message;
    const unsent = error.code === GRPC.unavailable && /^(No connection established|Name resolution failed|No addresses resolved)/.test(details);
    return new EtcdCallError(error.code, readable(details), this.url, unsent);
  }

  close(): void {
    this.client.close();
  }
}

/** Without what only the library's authors need. */
function readable(details: string): string {
  return details
    .replace(/^No connection established\. Last error: (Error: )?/, '')
    .replace(/\. Resolution note: *$/, '')
    .replace(/[0-9A-F]{16}:error:[0-9A-F]+:SSL routines:[^:]*:([^:]*):[^\n]*/, '$1')
    .replace(/\s*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)/, '')
    .trim();
}

function metadataWith(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('token', token);
  return metadata;
}

function tlsCredentials(host: string, { ca, certificate, key }: EtcdLocation): ChannelCredentials {
  const options = isIP(host) > 0 ? { checkServerIdentity: (_name: string, peer: Parameters<typeof checkServerIdentity>[1]) => checkServerIdentity(host, peer) } : {};
  return credentials.createSsl(ca ?? null, key ?? null, certificate ?? null, options);
}
