import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestImage } from './tars.js';

/** A request may be answered by a test itself: true when it was. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A registry in this process that misbehaves as a test wants. It serves images at `/v2/<any repository>/`. */
export class FakeRegistry {
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly manifests = new Map<string, { readonly bytes: Buffer; readonly type: string; readonly digest?: string }>();
  readonly blobs = new Map<string, Buffer>();
  intercept: Intercept = () => false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeRegistry> {
    const server = createServer();
    const registry = new FakeRegistry(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => registry.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(tag: string, image: TestImage): void {
    for (const [digest, bytes] of image.blobs) this.blobs.set(digest, bytes);
    for (const name of [tag, image.manifestDigest]) this.manifests.set(name, { bytes: image.manifest, type: 'application/vnd.oci.image.manifest.v1+json', digest: image.manifestDigest });
  }

  /** How often a path that ends so was asked for. */
  count(method: string, end: string): number {
    return this.requests.filter((request) => request.method === method && request.url.split('?')[0]!.endsWith(end)).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url!;
    this.requests.push({ method: request.method!, url, headers: request.headers });
    if (this.intercept(request, response)) return;
    const [, kind, name] = /\/(manifests|blobs)\/([^/?]+)(?:\?.*)?$/.exec(url) ?? [];
    if (kind === 'manifests' && this.manifests.has(name!)) {
      const { bytes, type, digest } = this.manifests.get(name!)!;
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length, ...(digest ? { 'docker-content-digest': digest } : {}) }).end(request.method === 'HEAD' ? undefined : bytes);
      return;
    }
    const blob = kind === 'blobs' ? this.blobs.get(name!) : undefined;
    if (!blob) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0) response.writeHead(206, { 'content-range': `bytes ${from}-${blob.length - 1}/${blob.length}` }).end(blob.subarray(from));
    else response.writeHead(200).end(blob);
  }
}
