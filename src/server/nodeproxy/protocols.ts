import type { IncomingMessage } from 'node:http';
import type { ChannelCoding } from '../../base/websocket/channels.js';

/** Sub-protocols of WebSockets with channels, best first. */
export const CHANNEL_PROTOCOLS: readonly string[] = [
  'v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io', 'base64.channel.k8s.io',
];

/** Of SPDY streams for exec and attach, best first. */
export const SPDY_PROTOCOLS: readonly string[] = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';
/** A WebSocket whose bytes are a SPDY connection. */
export const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';

/** What a connection is to become. */
export function upgradeKind(request: IncomingMessage): 'websocket' | 'spdy' | undefined {
  const upgrade = (request.headers.upgrade ?? '').toLowerCase();
  return upgrade === 'websocket' ? 'websocket' : upgrade === 'spdy/3.1' ? 'spdy' : undefined;
}

/** Values of a header that lists names, whatever way it is repeated. */
export function listedIn(request: IncomingMessage, header: string): string[] {
  return (request.headersDistinct[header] ?? []).flatMap((value) => value.split(',')).map((value) => value.trim()).filter((value) => value !== '');
}

export function codingOf(protocol: string): ChannelCoding {
  return { base64: protocol.includes('base64'), halfClose: protocol.startsWith('v5.') };
}

/** Channel of the outcome of a command. */
export const ERROR_CHANNEL = 3;

/** The outcome as a protocol carries it: those before v4 have plain text, and nothing on success. */
export function errorText(status: Buffer, protocol: string): Buffer {
  if (/^v[45]\./.test(protocol)) return status;
  const { status: outcome, message = '' } = JSON.parse(status.toString()) as { status?: string; message?: string };
  return Buffer.from(outcome === 'Success' ? '' : message);
}
