import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { acceptsGzip, documentHash, hasDocument, type DocumentRequest, type DocumentResponse } from '../discovery/document.js';
import { gzipOf, type GzipPiece } from './gzip-pieces.js';

const EMPTY = Buffer.alloc(0);
/** Size of the pieces in which a longer document is expanded and sent. */
const CHUNK_BYTES = 256 << 10;
const expand = promisify(gunzip);

/** A big document of which only the compressed form is kept: that is what nearly all clients want. */
export class CompressedDocument {
  private constructor(
    private readonly contentType: string,
    /** As {@link documentHash}, but of the compressed text. */
    readonly hash: string,
    private readonly compressed: Buffer,
    /** Length of the text in bytes. */
    private readonly length: number,
  ) {}

  static of(pieces: readonly GzipPiece[], contentType: string): CompressedDocument {
    const compressed = gzipOf(pieces);
    return new CompressedDocument(contentType, documentHash(compressed), compressed, pieces.reduce((sum, { length }) => sum + length, 0));
  }

  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    const kept = { ETag: `"${this.hash}"`, Vary: 'Accept, Accept-Encoding' };
    if (hasDocument(request, this.hash)) return { status: 304, headers: kept, bytes: EMPTY };
    const headers = { ...kept, 'Content-Type': this.contentType };
    if (acceptsGzip(request)) return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, bytes: this.compressed };
    if (this.length <= CHUNK_BYTES) return { status: 200, headers, bytes: await expand(this.compressed) };
    return { status: 200, headers: { ...headers, 'Content-Length': String(this.length) }, bytes: EMPTY, chunks: this.chunks() };
  }

  private chunks(): AsyncIterable<Buffer> {
    const stream = createGunzip({ chunkSize: CHUNK_BYTES });
    stream.end(this.compressed);
    return stream;
  }
}
