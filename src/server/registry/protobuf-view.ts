import type { Codec } from '../../api/codec/codec.js';
import { protobufEnvelope, protobufEnvelopeAround, varintLength, type ProtobufBlock } from '../../api/codec/encode-protobuf.js';
import { ProtobufWriter } from '../../api/codec/protobuf-writer.js';
import type { StructSchema } from '../../api/codec/schema.js';
import type { GroupVersionKind, KubeObject } from '../../api/meta/object.js';
import type { CacheEntry } from './cache-entry.js';
import type { EncodedCache } from './encoded-cache.js';
import { ListBlocks } from './list-blocks.js';
import type { ObjectEventType } from './stored-form.js';
import type { ListMetadata, View } from './view.js';
import { nextTurn } from '../../base/steps.js';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Size of the pieces in which big lists are sent. */
const CHUNK_BYTES = 256 << 10;
/** Lists of as many objects are made of blocks that are kept; shorter ones are of changing objects too often. */
const LIST_OF_BLOCKS = 200;
/** Objects encoded before others get their turn. */
const ENCODED_PER_TURN = 50;
/** Parts from this size on are not joined with others. */
const BLOCK_BYTES = 32 << 10;
const STATUS: GroupVersionKind = { group: '', version: 'v1', kind: 'Status' };
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
/** Tags of fields 1 and 2 that hold messages. */
const FIRST = 0x0a;
const SECOND = 0x12;

/** What a protobuf view is a view of. */
export interface ProtobufForm {
  /** The view that gives the same as JSON. */
  readonly json: View;
  readonly kind: GroupVersionKind;
  readonly listKind: GroupVersionKind;
  /** Lists have their items in field 1 and their metadata in field 2, not the other way about. */
  readonly itemsFirst: boolean;
  /** The object of an entry, for one use. */
  object(entry: CacheEntry): KubeObject;
  /** The message of an object. */
  message(object: KubeObject): Buffer;
  /** The messages of several, each under `tag`; undefined: they are made one by one. */
  block?(objects: readonly KubeObject[], tag: number): ProtobufBlock;
}

/** Another view's objects in upstream's protobuf encoding. Messages are made when they are first asked for, and kept as long as the cache has room. */
export class ProtobufView implements View {
  readonly mediaType = PROTOBUF_TYPE;
  readonly watchType = `${PROTOBUF_TYPE};stream=watch`;
  readonly name: string;
  private readonly listMeta: StructSchema;
  private readonly status: StructSchema;
  private readonly blocks: ListBlocks;

  constructor(
    private readonly form: ProtobufForm,
    private readonly codec: Codec,
    private readonly cache: EncodedCache,
  ) {
    this.name = `protobuf:${form.json.name}`;
    this.blocks = new ListBlocks(cache, `${this.name} blocks`);
    this.listMeta = codec.schemas.definition(`${META}.ListMeta`)!;
    this.status = codec.schemas.definition(`${META}.Status`)!;
  }

  /** Makes the message of an object unless it is there. Objects that cannot be encoded are left to those who ask for them. */
  prepare(entry: CacheEntry): void {
    try {
      this.message(entry);
    } catch {
      // Whoever asks is told.
    }
  }

  bytes(entry: CacheEntry): Buffer {
    return protobufEnvelope(this.form.kind, this.message(entry));
  }

  object(entry: CacheEntry): unknown {
    return this.form.json.object(entry);
  }

  frame(type: ObjectEventType, entry: CacheEntry): Buffer {
    return frameOf(type, this.form.kind, this.message(entry));
  }

  bookmark(revision: number, initialEventsEnd: boolean): unknown {
    return this.form.json.bookmark(revision, initialEventsEnd);
  }

  eventFrame(type: 'BOOKMARK' | 'ERROR', object: unknown): Buffer {
    if (type === 'ERROR') return frameOf(type, STATUS, this.codec.protobufMessage(object as object, this.status));
    return frameOf(type, this.form.kind, this.form.message(object as KubeObject));
  }

  async *listPieces(metadata: ListMetadata, entries: readonly CacheEntry[]): AsyncGenerator<Buffer> {
    // The lengths of all items stand in the head, so that all must be there before the first byte is.
    const { itemsFirst } = this.form;
    const tag = itemsFirst ? FIRST : SECOND;
    const listMeta = this.codec.protobufMessage(metadata, this.listMeta);
    const parts: Part[] = [];
    let size = fieldLength(listMeta.length);
    const add = (bytes: Buffer, tagged: boolean): void => {
      parts.push({ bytes, tagged });
      size += tagged ? bytes.length : fieldLength(bytes.length);
    };
    const inBlocks = entries.length >= LIST_OF_BLOCKS;
    for (let from = 0; from < entries.length; ) {
      const block = inBlocks ? this.blocks.get(entries, from) : undefined;
      const known = block ?? this.cache.get(entries[from]!, this.name);
      if (block !== undefined || (known !== undefined && !inBlocks)) {
        add(known!, block !== undefined);
        from += block === undefined ? 1 : this.blocks.lengthOf(block);
        continue;
      }
      const to = inBlocks ? this.blocks.end(entries, from) : this.endOfUnknown(entries, from);
      const some = entries.slice(from, to);
      const isNew = some.every((entry) => this.cache.get(entry, this.name) === undefined);
      const bytes = isNew ? this.encodeBlock(some, tag) : this.joinBlock(some, tag);
      if (inBlocks) this.blocks.set(some, bytes);
      add(bytes, true);
      from = to;
      if (from < entries.length) await nextTurn();
    }
    const { head, tail } = protobufEnvelopeAround(this.form.listKind, size);
    const before = itemsFirst ? head : Buffer.concat([head, field(FIRST, listMeta)]);
    const after = itemsFirst ? Buffer.concat([field(SECOND, listMeta), tail]) : tail;
    yield* pieces(before, parts, tag, after);
  }

  listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown {
    return this.form.json.listObject(metadata, entries);
  }

  /** Where the next object stands that is encoded already, or enough of them are to be encoded at once. */
  private endOfUnknown(entries: readonly CacheEntry[], from: number): number {
    const most = Math.min(entries.length, from + ENCODED_PER_TURN);
    let to = from + 1;
    let size = entries[from]!.bytesLength;
    while (to < most && size < CHUNK_BYTES && this.cache.get(entries[to]!, this.name) === undefined) size += entries[to++]!.bytesLength;
    return to;
  }

  /** The items of a list; they are kept as the parts of one piece of memory. */
  private encodeBlock(entries: readonly CacheEntry[], tag: number): Buffer {
    const { form, cache } = this;
    const { bytes, messages } = form.block?.(entries.map((entry) => form.object(entry)), tag) ?? this.blockOf(entries, tag);
    for (let i = 0; i < entries.length; i++) cache.set(entries[i]!, this.name, messages[i]!);
    return bytes;
  }

  /** The same of messages that are there already, all or some of them. */
  private joinBlock(entries: readonly CacheEntry[], tag: number): Buffer {
    const messages = entries.map((entry) => this.message(entry));
    const block = Buffer.allocUnsafeSlow(messages.reduce((sum, { length }) => sum + fieldLength(length), 0));
    let at = 0;
    for (const [i, message] of messages.entries()) {
      at = writeField(block, at, tag, message);
      // The block is kept, so that there is no need for another copy.
      this.cache.set(entries[i]!, this.name, block.subarray(at - message.length, at));
    }
    return block;
  }

  private blockOf(entries: readonly CacheEntry[], tag: number): ProtobufBlock {
    const messages = entries.map((entry) => this.form.message(this.form.object(entry)));
    return { bytes: Buffer.concat(messages.map((message) => field(tag, message))), messages };
  }

  private message(entry: CacheEntry): Buffer {
    return this.cache.get(entry, this.name) ?? this.encode(entry);
  }

  private encode(entry: CacheEntry): Buffer {
    const message = this.form.message(this.form.object(entry));
    this.cache.set(entry, this.name, message);
    return message;
  }
}

/** Items of a list: one message, or several with their tags and lengths. */
interface Part {
  bytes: Buffer;
  readonly tagged: boolean;
}

/** Joins the parts into pieces of about the same size; what is big enough is handed on as it is. */
function* pieces(before: Buffer, parts: readonly Part[], tag: number, after: Buffer): Generator<Buffer> {
  let head = before;
  for (let from = 0; from < parts.length; ) {
    const { bytes, tagged } = parts[from]!;
    if (tagged && bytes.length >= BLOCK_BYTES) {
      if (head.length > 0) yield head;
      head = EMPTY;
      parts[from++]!.bytes = EMPTY;
      yield bytes;
      if (from === parts.length) yield after;
      continue;
    }
    let size = head.length;
    let to = from;
    while (to < parts.length && size < CHUNK_BYTES && !(parts[to]!.tagged && parts[to]!.bytes.length >= BLOCK_BYTES)) size += partLength(parts[to++]!);
    const last = to === parts.length;
    const piece = Buffer.allocUnsafe(size + (last ? after.length : 0));
    let at = head.copy(piece, 0);
    head = EMPTY;
    for (let i = from; i < to; i++) {
      const part = parts[i]!;
      at = part.tagged ? at + part.bytes.copy(piece, at) : writeField(piece, at, tag, part.bytes);
      // A slow reader shall not hold what the cache has let go.
      part.bytes = EMPTY;
    }
    if (last) after.copy(piece, at);
    yield piece;
    from = to;
  }
  if (head.length > 0) yield Buffer.concat([head, after]);
}

function partLength({ bytes, tagged }: Part): number {
  return tagged ? bytes.length : fieldLength(bytes.length);
}

const EMPTY = Buffer.alloc(0);

/** `WatchEvent` with its length before it, as four bytes: upstream's framing. */
function frameOf(type: string, kind: GroupVersionKind, message: Buffer): Buffer {
  const { head, tail } = protobufEnvelopeAround(kind, message.length);
  const object = head.length + message.length + tail.length;
  const extension = fieldLength(object);
  const event = 2 + type.length + fieldLength(extension);
  const frame = Buffer.allocUnsafe(4 + event);
  frame.writeUInt32BE(event, 0);
  frame[4] = FIRST;
  frame[5] = type.length;
  let at = 6 + frame.write(type, 6, 'latin1');
  frame[at++] = SECOND;
  at = writeVarint(frame, at, extension);
  frame[at++] = FIRST;
  at = writeVarint(frame, at, object);
  at += head.copy(frame, at);
  at += message.copy(frame, at);
  tail.copy(frame, at);
  return frame;
}

/** A message in field 1 or 2 of another. */
export function field(tag: number, message: Buffer): Buffer {
  const writer = new ProtobufWriter();
  writer.bytes(message);
  writer.varint(tag);
  return writer.take();
}

function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

function writeField(target: Buffer, at: number, tag: number, message: Buffer): number {
  target[at] = tag;
  const start = writeVarint(target, at + 1, message.length);
  return start + message.copy(target, start);
}

function writeVarint(target: Buffer, at: number, value: number): number {
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}
