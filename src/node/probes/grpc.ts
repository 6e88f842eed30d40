import http2 from 'node:http2';
import { errorMessage } from '../../base/errors.js';
import { goDuration } from '../runtime/go-duration.js';
import type { ProbeOutcome } from '../runtime/index.js';

const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** gRPC status code of a server without the health service. */
const UNIMPLEMENTED = '12';

/** Asks the standard gRPC health service (`grpc.health.v1.Health/Check`), without TLS. */
export function grpcHealth(host: string, port: number, service: string, timeoutMilliseconds: number): Promise<ProbeOutcome> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Promise((resolve) => {
    const session = http2.connect(`http://${address}`);
    const done = (success: boolean, output: string): void => {
      session.destroy();
      resolve({ success, output });
    };
    session.setTimeout(timeoutMilliseconds, () => done(false, `timeout: failed to connect service "${address}" within ${goDuration(timeoutMilliseconds)}: context deadline exceeded`));
    session.once('error', (error) => done(false, `error: health rpc failed: ${errorMessage(error)}`));
    const call = session.request({ ':method': 'POST', ':path': '/grpc.health.v1.Health/Check', 'content-type': 'application/grpc', te: 'trailers', 'user-agent': 'kube-probe/1.36' });
    const parts: Buffer[] = [];
    let status = '';
    const take = (headers: http2.IncomingHttpHeaders): void => {
      const value = headers['grpc-status'];
      if (typeof value === 'string') status = value;
    };
    call.on('response', take);
    call.on('trailers', take);
    call.on('data', (chunk: Buffer) => parts.push(chunk));
    call.once('error', (error) => done(false, `error: health rpc failed: ${errorMessage(error)}`));
    call.once('end', () => {
      if (status === UNIMPLEMENTED) return done(false, 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)');
      if (status !== '0' && status !== '') return done(false, `error: health rpc failed with status ${status}`);
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
