import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { V1Container, V1HTTPGetAction, V1TCPSocketAction } from '../../api/generated/types.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { ProbeOutcome } from '../runtime/index.js';
import { goDuration } from '../runtime/go-duration.js';

/** Bytes of an answer that are looked at. */
const MAX_BODY = 10 * 1024;

/** The number of a port given as number or by its name in the container; undefined when there is no such port. */
export function containerPort(container: V1Container, port: string | number): number | undefined {
  const number = typeof port === 'number' || /^\d+$/.test(port) ? Number(port) : container.ports?.find((item) => item.name === port)?.containerPort;
  return number !== undefined && number > 0 && number < 65536 ? number : undefined;
}

/** Sends the request of an `httpGet` handler: 200 to 399 is success. */
export function httpGet(action: V1HTTPGetAction, container: V1Container, podIp: string, timeoutMilliseconds: number, purpose: 'probe' | 'hook'): Promise<ProbeOutcome> {
  const port = containerPort(container, action.port);
  if (port === undefined) return Promise.resolve({ success: false, output: `couldn't find port: ${String(action.port)}` });
  const host = action.host || podIp;
  const secure = action.scheme?.toUpperCase() === 'HTTPS';
  const path = action.path?.startsWith('/') ? action.path : `/${action.path ?? ''}`;
  const url = `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
  const headers: Record<string, string[]> = { 'user-agent': [purpose === 'probe' ? 'kube-probe/1.36' : 'kube-lifecycle/1.36'], accept: ['*/*'], connection: ['close'] };
  for (const header of action.httpHeaders ?? []) headers[header.name.toLowerCase()] = [...(headers[header.name.toLowerCase()] ?? []), header.value];
  return new Promise((resolve) => {
    const done = (success: boolean, output: string): void => resolve({ success, output });
    const options = { hostname: host, port, path, headers, timeout: timeoutMilliseconds, agent: false, rejectUnauthorized: false };
    const call = (secure ? https : http).request(options, (response) => {
      const code = response.statusCode ?? 0;
      const parts: Buffer[] = [];
      let size = 0;
      const finish = (): void => {
        const body = Buffer.concat(parts).toString('utf8', 0, MAX_BODY);
        if (code >= 200 && code < 400) done(true, body);
        else done(false, `HTTP probe failed with statuscode: ${code}`);
        call.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY) finish();
      });
      response.once('end', finish);
      response.once('error', (error) => done(false, `Get "${url}": ${error.message}`));
    });
    call.once('timeout', () => {
      done(false, `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`);
      call.destroy();
    });
    call.once('error', (error) => done(false, `Get "${url}": ${dialError(error, host, port)}`));
    call.end();
  });
}

/** Opens a TCP connection and closes it. */
export function tcpConnect(action: V1TCPSocketAction, container: V1Container, podIp: string, timeoutMilliseconds: number): Promise<ProbeOutcome> {
  const port = containerPort(container, action.port);
  if (port === undefined) return Promise.resolve({ success: false, output: `couldn't find port: ${String(action.port)}` });
  const host = action.host || podIp;
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: timeoutMilliseconds });
    const done = (success: boolean, output: string): void => {
      socket.destroy();
      resolve({ success, output });
    };
    socket.once('connect', () => done(true, ''));
    socket.once('timeout', () => done(false, `dial tcp ${join(host, port)}: i/o timeout`));
    socket.once('error', (error) => done(false, dialError(error, host, port)));
  });
}

/** The message of a failed connection, as Go words it. */
export function dialError(error: unknown, host: string, port: number): string {
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connect: connection refused', EHOSTUNREACH: 'connect: no route to host', ENETUNREACH: 'connect: network is unreachable', ETIMEDOUT: 'i/o timeout',
  };
  const known = words[errorCode(error) ?? ''];
  return known ? `dial tcp ${join(host, port)}: ${known}` : errorMessage(error);
}

/** Output of a command that took too long. */
export function commandTimedOut(command: readonly string[], timeoutMilliseconds: number): string {
  return `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${goDuration(timeoutMilliseconds)}`;
}

function join(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
