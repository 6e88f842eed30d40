import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { FLAG, HEADER_LENGTH, RCODE } from '../message/constants.js';
import { lowerCaseBytes } from '../message/names.js';
import type { DnsServer } from './resolv-conf.js';

/** Limits of one exchange. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a query in a datagram and returns the answer to it. Each query has a socket, and so a port, of its own; answers with another id or
 * question are passed over. Rejects with `KUBE_DNS_UPSTREAM` on a timeout or when the server refuses.
 */
export function exchangeUdp(server: DnsServer, query: Buffer, options: ExchangeOptions): Promise<Buffer> {
  return attempt(server, options, (resolve, reject) => {
    const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', reject);
    socket.on('message', (answer) => {
      if (isAnswer(query, answer)) resolve(answer);
    });
    // Connected, only the server can reach it, and a closed port is reported at once.
    socket.connect(server.port, server.address, () => socket.send(query, (error) => error && reject(error)));
    return () => socket.close();
  });
}

/** The same over TCP. */
export function exchangeTcp(server: DnsServer, query: Buffer, options: ExchangeOptions): Promise<Buffer> {
  return attempt(server, options, (resolve, reject) => {
    const socket = connect(server.port, server.address);
    const pieces: Buffer[] = [];
    let length = 0;
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('connect', () => {
      const prefix = Buffer.alloc(2);
      prefix.writeUInt16BE(query.length);
      socket.write(Buffer.concat([prefix, query]));
    });
    socket.on('data', (piece) => {
      pieces.push(piece);
      length += piece.length;
      if (length < 2) return;
      const whole = Buffer.concat(pieces);
      const size = whole.readUInt16BE(0);
      if (length < 2 + size) return;
      const answer = whole.subarray(2, 2 + size);
      if (isAnswer(query, answer)) resolve(answer);
      else reject(new Error('the server answered another question'));
    });
    return () => socket.destroy();
  });
}

/** Starts with `begin`, which returns how to end, and settles once. */
function attempt(server: DnsServer, options: ExchangeOptions, begin: (resolve: (answer: Buffer) => void, reject: (error: Error) => void) => () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let settled = false;
    // Filled below: a beginning may fail before it returns.
    const started: { close?: () => void } = {};
    const settle = (fn: () => void): void => {
      if (settled) return;
      settled = true;
      cancel();
      options.signal.removeEventListener('abort', abort);
      started.close?.();
      fn();
    };
    const fail = (error: Error): void => settle(() => reject(new KubeError('KUBE_DNS_UPSTREAM', `asking ${server.address}:${server.port}: ${error.message}`, { cause: error })));
    const abort = (): void => fail(new Error('stopped'));
    const cancel = options.clock.setTimeout(() => fail(new Error(`no answer within ${options.timeoutMilliseconds} ms`)), options.timeoutMilliseconds, { unref: true });
    options.signal.addEventListener('abort', abort, { once: true });
    if (options.signal.aborted) return abort();
    started.close = begin((answer) => settle(() => resolve(answer)), fail);
    if (settled) started.close();
  });
}

/** Same id and, whatever its case, same question. Servers that refuse may leave the question out. */
function isAnswer(query: Buffer, answer: Buffer): boolean {
  if (answer.length < HEADER_LENGTH || answer.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
  const flags = answer.readUInt16BE(2);
  if ((flags & FLAG.QR) === 0) return false;
  const rcode = flags & 0xf;
  if (answer.readUInt16BE(4) === 0) return rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN;
  const question = questionOf(query);
  return answer.readUInt16BE(4) === 1 && lowerCaseBytes(answer.subarray(HEADER_LENGTH, HEADER_LENGTH + question.length)).equals(lowerCaseBytes(question));
}

function questionOf(query: Buffer): Buffer {
  let at = HEADER_LENGTH;
  while (query[at]) at += query[at]! + 1;
  return query.subarray(HEADER_LENGTH, at + 5);
}
