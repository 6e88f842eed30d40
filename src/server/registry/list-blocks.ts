import type { CacheEntry } from './cache-entry.js';
import type { EncodedCache } from './encoded-cache.js';

/** Objects and bytes after which a block ends. */
const BLOCK_OBJECTS = 50;
const BLOCK_BYTES = 256 << 10;
/** One that others were put into may grow up to this. */
const MOST_OBJECTS = 2 * BLOCK_OBJECTS;
const MOST_BYTES = 2 * BLOCK_BYTES;

/**
 * Neighbours in a list, encoded one behind the other, for the next list: it is handed on as it is where none of them has changed. Blocks are kept beside
 * their first objects as long as the cache has room.
 */
export class ListBlocks {
  /** The revisions of the objects of a block: no two objects have the same. */
  private readonly contents = new WeakMap<Buffer, readonly number[]>();

  constructor(
    private readonly cache: EncodedCache,
    /** Under which blocks are kept. */
    private readonly view: string,
  ) {}

  /** The block that the objects from `from` on make; undefined: there is none, or one of its objects has changed. */
  get(entries: readonly CacheEntry[], from: number): Buffer | undefined {
    const block = this.cache.get(entries[from]!, this.view);
    const revisions = block && this.contents.get(block);
    if (revisions === undefined || from + revisions.length > entries.length) return undefined;
    for (let i = 0; i < revisions.length; i++) if (entries[from + i]!.revision !== revisions[i]) return undefined;
    return block;
  }

  /** How many objects a block has. */
  lengthOf(block: Buffer): number {
    return this.contents.get(block)!.length;
  }

  /** Where a new block ends that begins at `from`: where another one begins, or it is long enough. */
  end(entries: readonly CacheEntry[], from: number): number {
    const most = Math.min(entries.length, from + MOST_OBJECTS);
    let enough: number | undefined;
    let size = entries[from]!.bytesLength;
    for (let to = from + 1; to < most; to++) {
      if (this.cache.get(entries[to]!, this.view) !== undefined) return to;
      size += entries[to]!.bytesLength;
      if (enough === undefined && (to - from >= BLOCK_OBJECTS || size > BLOCK_BYTES)) enough = to;
      if (size > MOST_BYTES) break;
    }
    return enough ?? most;
  }

  set(entries: readonly CacheEntry[], block: Buffer): void {
    this.contents.set(block, entries.map(({ revision }) => revision));
    this.cache.set(entries[0]!, this.view, block);
  }
}
