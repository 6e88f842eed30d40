import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What the client said about the answer it wants. */
export interface DocumentRequest {
  /** `Accept` header; empty: anything. */
  readonly accept: string;
  /** `If-None-Match` header. */
  readonly ifNoneMatch?: string;
  /** `Accept-Encoding` header; absent: no compression. */
  readonly acceptEncoding?: string;
  /** JSON is to be indented for people. */
  readonly pretty?: boolean;
  /** Upstream's router has the path, and looks at `Accept` first. */
  readonly routed?: boolean;
}

/** An answer, ready to be written as it is. `headers` has `Content-Type` unless there is no body, and `Content-Encoding` when `bytes` are compressed. */
export interface DocumentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** In place of `bytes`, when they are many. */
  readonly chunks?: AsyncIterable<Buffer>;
}

/** Smaller bodies are sent as they are. */
const GZIP_FROM_BYTES = 128 << 10;
const compress = promisify(gzip);
const EMPTY = Buffer.alloc(0);

/** One version of a published document. Its compressed form is made on first use and kept. */
export class Document {
  private compressed: Promise<Buffer> | undefined;

  constructor(
    readonly bytes: Buffer,
    private readonly contentType: string,
    /** Under which clients may keep it; default: not at all. */
    private readonly etag?: string,
  ) {}

  static json(value: unknown, pretty = false): Document {
    return new Document(Buffer.from(`${JSON.stringify(value, undefined, pretty ? 2 : 0)}\n`), 'application/json');
  }

  /** 200 with the text, or 304 when the client says, in exactly these words, that it has it. */
  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    const kept: Record<string, string> = this.etag === undefined ? {} : { ETag: `"${this.etag}"`, Vary: 'Accept', 'Cache-Control': 'public' };
    if (this.etag !== undefined && request.ifNoneMatch === `"${this.etag}"`) return { status: 304, headers: kept, bytes: EMPTY };
    const headers = { ...kept, 'Content-Type': this.contentType };
    if (this.bytes.length <= GZIP_FROM_BYTES || !acceptsGzip(request)) return { status: 200, headers, bytes: this.bytes };
    this.compressed ??= compress(this.bytes, { level: 1 });
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip', Vary: this.etag === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding' }, bytes: await this.compressed };
  }
}

/** Upper-case hexadecimal SHA-512, as upstream uses for ETags and the hashes of the OpenAPI index. */
export function documentHash(bytes: Buffer | string): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

/** Whether a request has the document of this hash, as HTTP means it: any of a list, weakly. */
export function hasDocument({ ifNoneMatch }: DocumentRequest, hash: string): boolean {
  return ifNoneMatch?.split(',').some((candidate) => ['*', `"${hash}"`].includes(candidate.trim().replace(/^W\//, ''))) ?? false;
}

export function acceptsGzip({ acceptEncoding }: DocumentRequest): boolean {
  return /\bgzip\b/.test(acceptEncoding ?? '');
}

/** 406, for an `Accept` header that nothing fits. */
export function notAcceptable(types: readonly string[]): DocumentResponse {
  // For people, since the client reads nothing that it could be written as.
  return refusal({ message: `only the following media types are accepted: ${types.join(', ')}`, reason: 'NotAcceptable' }, 2);
}

/** The same where upstream's router refuses it. */
export function routeNotAcceptable(types: readonly string[]): DocumentResponse {
  return refusal({ message: `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, reason: 'NotAcceptable', details: {} });
}

function refusal(what: object, indent = 0): DocumentResponse {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...what, code: 406 };
  return { status: 406, headers: { 'Content-Type': 'application/json' }, bytes: Buffer.from(indent > 0 ? JSON.stringify(status, undefined, indent) : `${JSON.stringify(status)}\n`) };
}
