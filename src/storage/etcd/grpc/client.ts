import { Client, credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { EtcdLocation } from '../options.js';

const OPTIONS = {
  // A member that is gone without a word is noticed after this and the timeout. etcd refuses clients that ask more often than every 5 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // What the peer may send before it is told that there is room again.
  'grpc-node.flow_control_window': 16 << 20,
  // The store knows itself what can be done twice.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  // Channels of one process share nothing: several clusters run in it.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
} as const;

/** The library's client of one server, which connects when it is needed. */
export function createClient(url: string, location: EtcdLocation): Client {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const address = `${isIP(host) === 4 ? 'ipv4:' : isIP(host) === 6 ? 'ipv6:' : 'dns:'}${isIP(host) === 6 ? `[${host}]` : host}:${port === '' ? (secure ? 443 : 80) : port}`;
  // A name must be sent, and addresses are none; the certificate is checked against the address all the same.
  const override = secure && isIP(host) > 0 ? { 'grpc.ssl_target_name_override': 'localhost' } : {};
  return new Client(address, secure ? tlsCredentials(host, location) : credentials.createInsecure(), { ...OPTIONS, ...override });
}

function tlsCredentials(host: string, { ca, certificate, key }: EtcdLocation): ChannelCredentials {
  const options = isIP(host) > 0 ? { checkServerIdentity: (_name: string, peer: Parameters<typeof checkServerIdentity>[1]) => checkServerIdentity(host, peer) } : {};
  return credentials.createSsl(ca ?? null, key ?? null, certificate ?? null, options);
}
