import type { Readable } from 'node:stream';

const DEFAULT_LIMIT = 16 * 1024 * 1024;

/** Reads a stream to its end and keeps its first bytes, 16 MiB unless told. */
export class OutputCollector {
  private readonly chunks: Buffer[] = [];

  constructor(stream: Readable, limit: number = DEFAULT_LIMIT) {
    let left = limit;
    stream.on('data', (chunk: Buffer) => {
      if (left <= 0) return;
      this.chunks.push(left >= chunk.length ? chunk : chunk.subarray(0, left));
      left -= chunk.length;
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
