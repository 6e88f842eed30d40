import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { FieldPath } from '../../api/meta/field-path.js';
import { forbidden, invalid, type FieldError } from '../../api/meta/field-error.js';
import { badRequestError, internalError, invalidError, StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import type { CustomHandler } from '../handler/subresource.js';
import type { ServerContext } from '../server-context.js';
import { nodeEndpoint } from './node-endpoint.js';
import { requestedContainer, requestedPod } from './pod-target.js';

/** Bytes of an agent's error text that are passed on. */
const MAX_ERROR = 2048;

/** `pods/log`: the text comes from the node's agent. */
export function podLogHandler(context: ServerContext): CustomHandler {
  return {
    path: '/pods/log',
    verbs: ['get'],
    async handle(request) {
      const query = logQuery(request);
      const pod = requestedPod(context, request);
      const container = requestedContainer(pod, request.query.get('container') ?? '');
      const { namespace, name } = request.info;
      // Nothing was written yet where there is no node.
      if (!pod.spec?.nodeName) return { type: 'bytes', code: 200, mediaType: 'text/plain', bytes: Buffer.alloc(0) };
      const endpoint = nodeEndpoint(context, pod.spec.nodeName);
      const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join('/')}?${query.toString()}`;
      const insecure = request.query.get('insecureSkipTLSVerifyBackend') === 'true';
      const options = { host: endpoint.host, port: endpoint.port, path, headers: endpoint.headers, ...endpoint.tls, ...(insecure ? { rejectUnauthorized: false } : {}), agent: false as const, signal: request.signal };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        https.get(options, resolve).once('error', (error) => reject(internalError(`Get "https://${endpoint.host}:${endpoint.port}${path}": ${errorMessage(error)}`)));
      });
      return passOn(request, response);
    },
  };
}

async function passOn(request: ApiRequest, response: IncomingMessage): Promise<ApiResponse> {
  const code = response.statusCode ?? 500;
  if (code < 300) return { type: 'stream', code: 200, mediaType: 'text/plain', chunks: untilAborted(response, request.signal) };
  const parts: Buffer[] = [];
  for await (const chunk of response) parts.push(chunk as Buffer);
  const text = Buffer.concat(parts).toString('utf8', 0, MAX_ERROR);
  if (code === 400) throw badRequestError(text);
  if (code === 500) throw internalError(text);
  throw genericError(code, request.info.name, text);
}

/** Other answers of an agent, as upstream words them. */
function genericError(code: number, name: string, text: string): StatusError {
  const words: Readonly<Record<number, readonly [string, string]>> = {
    401: ['Unauthorized', 'the server has asked for the client to provide credentials'], 403: ['Forbidden', text], 404: ['NotFound', 'the server could not find the requested resource'],
  };
  const [reason, message] = words[code] ?? ['', `the server responded with the status code ${code} but did not return more information`];
  return new StatusError({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `${message} ( pods/log ${name})`, ...(reason === '' ? {} : { reason }), details: { name, kind: 'pods/log' }, code,
  });
}

async function* untilAborted(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    // The client that asked went away, and with it the call to the agent.
    if (!signal.aborted) throw error;
  } finally {
    response.destroy();
  }
}

/** The options that the agent needs, checked. Throws 400 for text that is no number, 422 for bad values. */
function logQuery(request: ApiRequest): URLSearchParams {
  const { query } = request;
  const out = new URLSearchParams();
  const errors: FieldError[] = [];
  for (const name of ['follow', 'previous', 'timestamps']) if (flag(query.get(name))) out.set(name, 'true');
  const tailLines = whole(query, 'tailLines');
  const limitBytes = whole(query, 'limitBytes');
  const sinceSeconds = whole(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime') ?? '';
  if (tailLines !== undefined && tailLines < 0) errors.push(invalid(path('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalid(path('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== '') errors.push({ ...forbidden(path('sinceTime'), 'at most one of `sinceTime` or `sinceSeconds` may be specified'), field: '' });
  else if (sinceSeconds !== undefined && sinceSeconds < 1) errors.push(invalid(path('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  if (query.get('stream')) errors.push(forbidden(path('stream'), 'may not be specified'));
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, request.info.name, errors);
  if (sinceTime !== '') {
    if (Number.isNaN(Date.parse(sinceTime)) || !/^\d{4}-\d\d-\d\dT/.test(sinceTime)) {
      throw badRequestError(`parsing time ${JSON.stringify(sinceTime)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(sinceTime)} as "2006"`);
    }
    out.set('sinceTime', sinceTime);
  }
  for (const [name, value] of Object.entries({ tailLines, limitBytes, sinceSeconds })) if (value !== undefined) out.set(name, String(value));
  return out;
}

function whole(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[-+]?\d+$/.test(text)) throw badRequestError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** A boolean parameter is true by its mere presence, unless it says otherwise. */
function flag(text: string | null): boolean {
  return text !== null && !/^(false|0)$/i.test(text);
}

function path(name: string): FieldPath {
  return FieldPath.of(name);
}
