import http2 from 'node:http2';
import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import { goDuration } from '../runtime/go-duration.js';
import type { ProbeOutcome } from '../runtime/index.js';

const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** Names of gRPC's status codes. */
const CODES = [
  'OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented', 'Internal', 'Unavailable',
  'DataLoss', 'Unauthenticated',
];
/** gRPC status code of a server without the health service. */
const UNIMPLEMENTED = '12';

/** Asks the standard gRPC health service (`grpc.health.v1.Health/Check`), without TLS. */
export function grpcHealth(host: string, port: number, service: string, timeoutMilliseconds: number, clock: Clock): Promise<ProbeOutcome> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Promise((resolve) => {
    const session = http2.connect(`http://${address}`);
    let connected = false;
    const cancel = clock.setTimeout(() => {
      const within = goDuration(timeoutMilliseconds);
      done(false, connected ? `timeout: health rpc did not complete within ${within}` : `timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`);
    }, timeoutMilliseconds);
    const done = (success: boolean, output: string): void => {
      cancel();
      session.destroy();
      resolve({ success, output });
    };
    session.once('connect', () => (connected = true));
    // Upstream keeps trying to connect until the time is up.
    session.once('error', (error) => {
      if (connected) done(false, `error: health rpc probe failed: ${errorMessage(error)}`);
    });
    const call = session.request({ ':method': 'POST', ':path': '/grpc.health.v1.Health/Check', 'content-type': 'application/grpc', te: 'trailers', 'user-agent': 'kube-probe/1.36' });
    const parts: Buffer[] = [];
    let status = '';
    let words = '';
    const take = (headers: http2.IncomingHttpHeaders): void => {
      const value = headers['grpc-status'];
      if (typeof value === 'string') status = value;
      const message = headers['grpc-message'];
      if (typeof message === 'string') words = decodeURIComponent(message);
    };
    call.on('response', take);
    call.on('trailers', take);
    call.on('data', (chunk: Buffer) => parts.push(chunk));
    call.once('error', (error) => {
      if (connected) done(false, `error: health rpc probe failed: ${errorMessage(error)}`);
    });
    call.once('end', () => {
      if (status === UNIMPLEMENTED) return done(false, `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${words}`);
      if (status !== '0' && status !== '') return done(false, `error: health rpc probe failed: rpc error: code = ${CODES[Number(status)] ?? status} desc = ${words}`);
      const state = servingStatus(Buffer.concat(parts));
      done(state === 'SERVING', state === 'SERVING' ? 'service healthy' : `service unhealthy (responded with "${state}")`);
    });
    call.end(request(service));
  });
}

/** A length-prefixed `HealthCheckRequest`: field 1, the service. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Field 1 of a `HealthCheckResponse`. */
function servingStatus(body: Buffer): string {
  const value = body.length >= 7 && body[5] === 0x08 ? body[6]! : 0;
  return STATUS_NAMES[value] ?? 'UNKNOWN';
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  bytes.push(left);
  return Buffer.from(bytes);
}
