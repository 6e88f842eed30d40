import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { ChannelCoding } from '../../base/websocket/channels.js';
import type { AgentAuthorizer } from './authorization.js';
import { containerLog } from './container-logs.js';
import { disabledEndpoint } from './disabled-endpoints.js';
import { forwardedPorts, forwardTarget, servePortForward } from './port-forward.js';
import { HttpError, type PodDirectory } from './pod-directory.js';
import { remoteCommand, serveRemoteCommand } from './remote-command.js';
import { nodePage, type Page } from './node-pages.js';

export interface AgentServerOptions {
  readonly bindAddress: string;
  /** 0: a free port. */
  readonly port: number;
  readonly serving: { readonly certificate: string; readonly key: string };
  readonly clientCa: string;
}

export interface AgentServerEnvironment {
  readonly directory: PodDirectory;
  readonly authorizer: AgentAuthorizer;
  readonly clock: Clock;
  readonly log: Logger;
  /** The agent's own metrics as text. */
  metrics(): Promise<string>;
}

/** Names the node that is meant, where one agent serves several at one address. */
export const NODE_HEADER = 'kube-node';

/** Sub-protocols of WebSockets, best first. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io', 'v4.base64.channel.k8s.io', 'base64.channel.k8s.io'];

const CONTENT_TYPES: Readonly<Record<Page['type'], string>> = { json: 'application/json', metrics: 'text/plain; version=0.0.4; charset=utf-8', text: 'text/plain; charset=utf-8' };
/** Commands to run stand in the request line; upstream takes as much. */
const MAX_HEADER_BYTES = 1 << 20;

/** The HTTPS server of the agent (upstream's port 10250), one for all of its nodes. */
export class AgentServer {
  private readonly server: https.Server;
  private readonly sockets: WebSocketServer;
  private readonly open = new Set<Duplex>();
  private startedAt = 0;

  constructor(
    private readonly options: AgentServerOptions,
    private readonly environment: AgentServerEnvironment,
  ) {
    const { serving, clientCa } = options;
    const tls = { cert: serving.certificate, key: serving.key, ca: clientCa, requestCert: true, rejectUnauthorized: false };
    this.server = https.createServer({ ...tls, maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => void this.serve(request, response));
    this.sockets = new WebSocketServer({
      noServer: true,
      maxPayload: 32 * 1024 * 1024,
      handleProtocols: (offered) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.upgrade(request, socket, head));
    this.server.on('secureConnection', (socket: TLSSocket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
    // Half-made TLS connections are not worth a word.
    this.server.on('tlsClientError', () => undefined);
  }

  /** Resolves with the port. */
  listen(): Promise<number> {
    this.startedAt = this.environment.clock.now();
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port, this.options.bindAddress, () => {
        this.server.off('error', reject);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Breaks what is still open. */
  close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    if (!this.server.listening) return Promise.resolve();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    try {
      const { path, url, node } = await this.admit(request);
      await this.answer(path, url.searchParams, node, response, abort.signal);
    } catch (error) {
      const code = error instanceof HttpError ? error.code : 500;
      if (!(error instanceof HttpError)) this.environment.log.warn('agent request failed', { path: request.url, error: errorMessage(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(errorMessage(error));
    }
  }

  private async admit(request: IncomingMessage): Promise<{ readonly path: readonly string[]; readonly url: URL; readonly node: string | undefined }> {
    const url = new URL(request.url ?? '/', 'https://agent');
    const { directory, authorizer } = this.environment;
    const header = request.headers[NODE_HEADER];
    const wanted = typeof header === 'string' && directory.nodeNames.includes(header) ? header : undefined;
    const node = wanted ?? (directory.nodeNames.length === 1 ? directory.nodeNames[0] : undefined);
    await authorizer.authorize(request.socket as TLSSocket, request.method ?? 'GET', url.pathname, node ?? directory.nodeNames[0] ?? '');
    return { path: url.pathname.split('/').slice(1).map(decodeURIComponent), url, node };
  }

  private async answer(path: readonly string[], query: URLSearchParams, node: string | undefined, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { directory, clock } = this.environment;
    const joined = path.join('/');
    const page = await nodePage({ directory, log: this.environment.log, startedAt: this.startedAt, now: clock.now(), metrics: () => this.environment.metrics() }, joined, query, node);
    if (page) {
      response.writeHead(200, { 'content-type': CONTENT_TYPES[page.type] }).end(page.body);
      return;
    }
    const [first = '', second = '', third = '', fourth = ''] = path;
    switch (first) {
      case 'containerLogs': {
        if (path.length !== 4) break;
        const log = containerLog(directory, second, third, fourth, query, signal, clock.now());
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.flushHeaders();
        for await (const chunk of log) {
          if (!response.write(chunk)) await new Promise<void>((resolve) => {
            response.once('drain', resolve);
            response.once('close', resolve);
          });
          if (signal.aborted) return;
        }
        response.end();
        return;
      }
      case 'exec':
      case 'attach':
      case 'portForward':
        throw new HttpError(400, 'Upgrade request required');
      default:
    }
    const disabled = disabledEndpoint(`/${joined}`);
    if (disabled !== undefined) throw new HttpError(405, `${disabled}\n`);
    throw new HttpError(404, '404 page not found');
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const { path, url } = await this.admit(request);
      const serve = await this.streamer(path, url.searchParams);
      this.sockets.handleUpgrade(request, socket, head, (webSocket) => {
        void serve(webSocket, codingOf(webSocket.protocol)).catch((error: unknown) => this.environment.log.debug('stream failed', { path: url.pathname, error: errorMessage(error) }));
      });
    } catch (error) {
      const code = error instanceof HttpError ? error.code : 500;
      const body = errorMessage(error);
      socket.end(`HTTP/1.1 ${code} ${code === 404 ? 'Not Found' : 'Error'}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
    }
  }

  private async streamer(path: readonly string[], query: URLSearchParams): Promise<(socket: WebSocket, coding: ChannelCoding) => Promise<void>> {
    const { directory } = this.environment;
    const [kind, namespace = '', pod = ''] = path;
    if ((kind === 'exec' || kind === 'attach') && (path.length === 4 || path.length === 5)) {
      // The five-part form carries the pod's uid before the container.
      const command = remoteCommand(directory, kind, namespace, pod, path.at(-1)!, query);
      return (socket, coding) => serveRemoteCommand(socket, coding, command);
    }
    if (kind === 'portForward' && (path.length === 3 || path.length === 4)) {
      const ports = forwardedPorts(query);
      const target = await forwardTarget(directory, namespace, pod);
      return (socket, coding) => servePortForward(socket, coding, ports, target);
    }
    throw new HttpError(404, '404 page not found');
  }
}

function codingOf(protocol: string): ChannelCoding {
  return { base64: protocol.includes('base64'), halfClose: protocol.startsWith('v5.') };
}
