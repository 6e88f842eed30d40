import type { CacheEntry } from './cache-entry.js';

/** The encoded forms of one object, by view. */
interface Encoded {
  readonly view: string;
  readonly bytes: Buffer;
  readonly next: Encoded | undefined;
}

/** Default bound of what is kept, in bytes. */
export const ENCODED_CACHE_BYTES = 64 << 20;

/**
 * Encoded bytes of objects, made when somebody asks for them and forgotten when nobody did for a while or the object is gone. Two generations:
 * what is asked for moves to the young one, and when that has half of the allowed bytes, the old one is dropped.
 */
export class EncodedCache {
  private young = new WeakMap<CacheEntry, Encoded>();
  private old = new WeakMap<CacheEntry, Encoded>();
  private youngBytes = 0;

  constructor(private readonly maxBytes = ENCODED_CACHE_BYTES) {}

  /** What was made for a view of an object; undefined when it is to be made again. */
  get(entry: CacheEntry, view: string): Buffer | undefined {
    const known = find(this.young.get(entry), view);
    if (known !== undefined) return known;
    const bytes = find(this.old.get(entry), view);
    if (bytes === undefined) return undefined;
    // A part of a bigger piece of memory shall not hold all of it for long.
    const own = bytes.length * 2 < bytes.buffer.byteLength ? ownCopy(bytes) : bytes;
    this.set(entry, view, own);
    return own;
  }

  set(entry: CacheEntry, view: string, bytes: Buffer): void {
    const max = this.maxBytes / 2;
    if (bytes.length > max) return;
    if (this.youngBytes + bytes.length > max) {
      this.old = this.young;
      this.young = new WeakMap();
      this.youngBytes = 0;
    }
    const known = this.young.get(entry);
    this.youngBytes += bytes.length - (find(known, view)?.length ?? 0);
    this.young.set(entry, { view, bytes, next: without(known, view) });
  }
}

function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function find(encoded: Encoded | undefined, view: string): Buffer | undefined {
  for (let known = encoded; known !== undefined; known = known.next) if (known.view === view) return known.bytes;
  return undefined;
}

function without(encoded: Encoded | undefined, view: string): Encoded | undefined {
  if (encoded === undefined || find(encoded, view) === undefined) return encoded;
  return encoded.view === view ? encoded.next : { ...encoded, next: without(encoded.next, view) };
}
