import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { V1Container, V1HTTPGetAction, V1TCPSocketAction } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { ProbeOutcome } from '../runtime/index.js';
import { goDuration } from '../runtime/go-duration.js';

/** Bytes of an answer that are looked at. */
const MAX_BODY = 10 * 1024;

const MAX_REDIRECTS = 10;

/** The number of a port given as number or by its name in the container; undefined when there is no such port. */
export function containerPort(container: V1Container, port: string | number): number | undefined {
  const number = typeof port === 'number' || /^\d+$/.test(port) ? Number(port) : container.ports?.find((item) => item.name === port)?.containerPort;
  return number !== undefined && number > 0 && number < 65536 ? number : undefined;
}

/** The number of a port, or an error with upstream's words. */
function requirePort(container: V1Container, port: string | number): number {
  const number = containerPort(container, port);
  if (number !== undefined) return number;
  throw new Error(typeof port === 'number' || /^\d+$/.test(port) ? `invalid port number: ${port}` : `port ${port} not found`);
}

/** For whom a request is sent. */
export interface HttpCall {
  readonly container: V1Container;
  readonly podIp: string;
  /** Milliseconds for all of it; undefined: as long as it takes. */
  readonly timeout: number | undefined;
  readonly clock: Clock;
  readonly purpose: 'probe' | 'lifecycle';
  /** Instead of the handler's. */
  readonly scheme?: 'http';
}

/** Sends the request of an `httpGet` handler: 200 to 399 is success. Redirects within the host are followed, one elsewhere is a success with a warning. Throws when the container has no such port. */
export async function httpGet(action: V1HTTPGetAction, call: HttpCall): Promise<ProbeOutcome> {
  const first = requestUrl(action, call);
  let url = first;
  const abort = new AbortController();
  const cancel = call.timeout === undefined ? (): void => undefined : call.clock.setTimeout(() => abort.abort(), call.timeout);
  try {
    for (let hops = 0; ; hops++) {
      const { code, body, location } = await send(url, requestHeaders(action, call), abort.signal);
      const target = location !== undefined && [301, 302, 303, 307, 308].includes(code) ? new URL(location, url) : undefined;
      if (target?.hostname === first.hostname) {
        if (hops >= MAX_REDIRECTS) return { success: false, output: `Get "${target.href}": stopped after 10 redirects` };
        url = target;
        continue;
      }
      if (code >= 300 && code < 400) return { success: true, output: `Probe terminated redirects, Response body: ${body}`, warning: true };
      return code >= 200 && code < 300 ? { success: true, output: body } : { success: false, output: `HTTP probe failed with statuscode: ${code}` };
    }
  } catch (error) {
    const why = abort.signal.aborted ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : dialError(error, url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || (url.protocol === 'https:' ? 443 : 80)));
    return { success: false, output: `Get "${shown(action, call)}": ${why}` };
  } finally {
    cancel();
    abort.abort();
  }
}

function requestUrl(action: V1HTTPGetAction, call: HttpCall): URL {
  return new URL(shown(action, call));
}

/** The address as the handler gives it. */
function shown(action: V1HTTPGetAction, { container, podIp, scheme }: HttpCall): string {
  const host = action.host || podIp;
  const path = action.path?.startsWith('/') ? action.path : `/${action.path ?? ''}`;
  return `${scheme ?? (action.scheme ?? 'http').toLowerCase()}://${join(host, requirePort(container, action.port))}${path}`;
}

function requestHeaders(action: V1HTTPGetAction, { purpose, scheme }: HttpCall): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of action.httpHeaders ?? []) (headers[name.toLowerCase()] ??= []).push(value);
  headers['user-agent'] ??= [`kube-${purpose}/1.36`];
  headers['accept'] ??= ['*/*'];
  // An empty one asks for none to be sent.
  if (headers['accept'][0] === '') delete headers['accept'];
  if (scheme) delete headers['authorization'];
  headers['connection'] = ['close'];
  return headers;
}

function send(url: URL, headers: Record<string, string[]>, signal: AbortSignal): Promise<{ readonly code: number; readonly body: string; readonly location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const { host, ...rest } = headers;
    const all = host?.[0] ? { ...rest, host: host[0] } : rest;
    const call = (url.protocol === 'https:' ? https : http).request(url, { headers: all, agent: false, signal, rejectUnauthorized: false }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      const finish = (): void => {
        resolve({ code: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8', 0, MAX_BODY), location: response.headers.location });
        call.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY) finish();
      });
      response.once('end', finish);
      response.once('error', reject);
    });
    call.once('error', reject);
    call.end();
  });
}

/** Opens a TCP connection and closes it. */
export async function tcpConnect(action: V1TCPSocketAction, container: V1Container, podIp: string, timeoutMilliseconds: number): Promise<ProbeOutcome> {
  const port = requirePort(container, action.port);
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
