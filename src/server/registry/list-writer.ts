import type { CacheEntry } from './cache-entry.js';
import type { JsonView } from './json-view.js';
import type { ListMetadata } from './view.js';

/** Size of the pieces in which big lists are sent. */
const CHUNK_BYTES = 256 << 10;
const COMMA = 0x2c;
const TAIL = ']}\n';

/** The bytes of a JSON list, in pieces; small lists are one piece. Items are copied, never serialised again. */
export function* listChunks(view: JsonView, metadata: ListMetadata, entries: readonly CacheEntry[]): Generator<Buffer> {
  let head = view.listHead(metadata);
  for (let from = 0; from < entries.length; ) {
    let size = Buffer.byteLength(head);
    let to = from;
    while (to < entries.length && size < CHUNK_BYTES) size += view.itemLength(entries[to++]!) + 1;
    const last = to === entries.length;
    const chunk = Buffer.allocUnsafe(size + (last ? TAIL.length - 1 : 0));
    let at = chunk.write(head, 0);
    head = '';
    for (let i = from; i < to; i++) {
      at += view.writeItem(entries[i]!, chunk, at);
      if (i + 1 < entries.length) chunk[at++] = COMMA;
    }
    if (last) chunk.write(TAIL, at);
    yield chunk;
    from = to;
  }
  if (head !== '') yield Buffer.from(head + TAIL);
}
