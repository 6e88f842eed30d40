import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import { Document, type DocumentRequest, type DocumentResponse } from '../discovery/document.js';
import { nextTurn } from '../../base/steps.js';

/** This much is hashed at a time. */
const HASHED_BYTES = 1 << 20;
const EMPTY = Buffer.alloc(0);
const expand = promisify(gunzip);

/** A document of pieces; its hash is made bit by bit, too. */
export async function documentOf(pieces: readonly Buffer[], contentType: string): Promise<Document> {
  return new Document(Buffer.concat(pieces), contentType, {}, await hashOf(pieces));
}

/** A big document of which only the compressed form is kept: that is what nearly all clients want. */
export class CompressedDocument {
  private constructor(
    private readonly contentType: string,
    /** As {@link Document.hash}. */
    readonly hash: string,
    private readonly compressed: Buffer,
  ) {}

  static async of(pieces: readonly Buffer[], contentType: string): Promise<CompressedDocument> {
    return new CompressedDocument(contentType, await hashOf(pieces), await compress(pieces));
  }

  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    const etag = `"${this.hash}"`;
    const headers = { 'Content-Type': this.contentType, ETag: etag, Vary: 'Accept, Accept-Encoding' };
    if (request.ifNoneMatch?.split(',').some((candidate) => [etag, '*'].includes(candidate.trim().replace(/^W\//, '')))) return { status: 304, headers, bytes: EMPTY };
    if (/\bgzip\b/.test(request.acceptEncoding ?? '')) return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, bytes: this.compressed };
    return { status: 200, headers, bytes: await expand(this.compressed) };
  }
}

async function hashOf(pieces: readonly Buffer[]): Promise<string> {
  const hash = createHash('sha512');
  let hashed = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += HASHED_BYTES) {
      const part = piece.subarray(at, at + HASHED_BYTES);
      hash.update(part);
      if ((hashed += part.length) < HASHED_BYTES) continue;
      hashed = 0;
      await nextTurn();
    }
  }
  return hash.digest('hex').toUpperCase();
}

async function compress(pieces: readonly Buffer[]): Promise<Buffer> {
  const gzip = createGzip({ level: 4 });
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => gzip.once('end', resolve).once('error', reject));
  for (let at = 0; at < pieces.length; ) {
    // Small pieces together: each write is a job of its own.
    let size = 0;
    const from = at;
    while (at < pieces.length && size < HASHED_BYTES) size += pieces[at++]!.length;
    if (!gzip.write(Buffer.concat(pieces.slice(from, at)))) await new Promise<void>((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await ended;
  return Buffer.concat(chunks);
}
