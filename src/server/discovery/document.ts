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
}

/** An answer, ready to be written as it is. `headers` always has `Content-Type`, and `Content-Encoding` when `bytes` are compressed. */
export interface DocumentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** In place of `bytes`, when they are many. */
  readonly chunks?: AsyncIterable<Buffer>;
}

/** Smaller bodies are not worth compressing. */
const GZIP_FROM_BYTES = 4096;
const compress = promisify(gzip);
const EMPTY = Buffer.alloc(0);

/** One version of a published document. Its hash and compressed form are made on first use and kept. */
export class Document {
  private compressed: Promise<Buffer> | undefined;

  constructor(
    readonly bytes: Buffer,
    private readonly contentType: string,
    private readonly headers: Readonly<Record<string, string>> = {},
    /** The hash, where it is known. */
    private digest?: string,
  ) {}

  static json(value: unknown, contentType = 'application/json', headers: Readonly<Record<string, string>> = {}): Document {
    return new Document(Buffer.from(`${JSON.stringify(value)}\n`), contentType, headers);
  }

  /** Upper-case hexadecimal SHA-512 of the text, as upstream uses for ETags and the hashes of the OpenAPI index. */
  get hash(): string {
    return (this.digest ??= createHash('sha512').update(this.bytes).digest('hex').toUpperCase());
  }

  get etag(): string {
    return `"${this.hash}"`;
  }

  /** 200 with the text, or 304 when the client has it. */
  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    const headers = { 'Content-Type': this.contentType, ETag: this.etag, Vary: 'Accept, Accept-Encoding', ...this.headers };
    if (matches(request.ifNoneMatch, this.etag)) return { status: 304, headers, bytes: EMPTY };
    if (this.bytes.length < GZIP_FROM_BYTES || !/\bgzip\b/.test(request.acceptEncoding ?? '')) return { status: 200, headers, bytes: this.bytes };
    this.compressed ??= compress(this.bytes, { level: 6 });
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, bytes: await this.compressed };
  }
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((candidate) => [etag, `W/${etag}`, '*'].includes(candidate.trim()));
}

/** A media range of an `Accept` header. */
export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The ranges of an `Accept` header, best first; those with `q=0` are left out. An empty header accepts anything. */
export function mediaRanges(accept: string): MediaRange[] {
  if (accept.trim() === '') return [{ type: '*/*', parameters: new Map() }];
  const ranges = accept.split(',').map((text) => {
    const [type, ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map(rest.map((part) => [part.split('=', 1)[0]!, part.slice(part.indexOf('=') + 1)] as const));
    const quality = Number(parameters.get('q') ?? '1');
    parameters.delete('q');
    return { type: type!.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

/** Whether a range lets JSON through. */
export function acceptsJson(range: MediaRange): boolean {
  return range.type === 'application/json' || range.type === '*/*' || range.type === 'application/*';
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
