import type { KubeObject } from '../../api/meta/object.js';
import { EntriesText } from './entries-text.js';

/** `type` of a watch event that carries an object. */
export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const HEADS: Readonly<Record<ObjectEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const TAIL = Buffer.from('}\n');

/**
 * How objects of one kind are written as bytes: always beginning with `{"kind":…,"apiVersion":…,"metadata":{`, so that
 * the place where a resource version goes is known without parsing.
 */
export class StoredForm {
  /** What every stored object begins with, up to and including the brace of `metadata`. */
  readonly prefix: Buffer;
  /** Offset of `"metadata"` in an object: list items leave out what stands before. */
  readonly metadataOffset: number;

  /** {@link prefix} as text. */
  private readonly textPrefix: string;
  private readonly entries = new EntriesText();

  constructor(
    readonly apiVersion: string,
    readonly kind: string,
    /** Brings, in place, an object that others may have stored into the present form; false: it was in it. Undefined: all are. */
    readonly settle?: (object: KubeObject) => boolean,
  ) {
    const head = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
    this.metadataOffset = Buffer.byteLength(head);
    this.textPrefix = `${head}"metadata":{`;
    this.prefix = Buffer.from(this.textPrefix);
  }

  /** The JSON of a manager's field set, which objects share. */
  fieldsText(fields: object): string {
    return this.entries.set(fields);
  }

  /** The bytes of an object, without its resource version. The object must have a name. */
  encode(object: KubeObject): Buffer {
    const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
    const { resourceVersion: _resourceVersion, managedFields, ...meta } = metadata ?? {};
    // Not in one piece: keys that look like numbers would come before all others.
    const fields = JSON.stringify(rest);
    const tail = `${JSON.stringify(meta).slice(1)}${fields === '{}' ? '}' : `,${fields.slice(1)}`}`;
    if (managedFields === undefined) return ownBuffer(this.textPrefix + tail);
    return ownBuffer(`${this.textPrefix}"managedFields":${this.entries.text(managedFields)},${tail}`);
  }

  /**
   * A whole watch event around stored bytes, with the resource version put in; the object alone is
   * what {@link objectIn} gives of it.
   */
  frame(type: ObjectEventType, stored: Buffer, revision: number): Buffer {
    const { prefix } = this;
    const head = HEADS[type];
    const value = this.normal(stored);
    const version = `"resourceVersion":"${revision}",`;
    const frame = Buffer.allocUnsafeSlow(head.length + version.length + value.length + TAIL.length);
    let at = head.copy(frame, 0);
    at += prefix.copy(frame, at);
    at += frame.write(version, at, 'latin1');
    at += value.copy(frame, at, prefix.length);
    TAIL.copy(frame, at);
    return frame;
  }

  /** The bytes as they would be stored again: the reverse of {@link frame}. */
  storedIn(type: ObjectEventType, frame: Buffer, revision: number): Buffer {
    const start = HEADS[type].length + this.prefix.length + `"resourceVersion":"${revision}",`.length;
    return Buffer.concat([this.prefix, frame.subarray(start, frame.length - TAIL.length)]);
  }

  /** Whether stored bytes are of this kind and version. */
  fits(stored: Buffer): boolean {
    const { prefix } = this;
    return stored.length > prefix.length && stored.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
  }

  private normal(stored: Buffer): Buffer {
    if (this.fits(stored)) return stored;
    return this.encode(JSON.parse(stored.toString()) as KubeObject);
  }
}

/** The object's bytes inside a frame. */
export function objectIn(type: ObjectEventType, frame: Buffer): Buffer {
  return frame.subarray(HEADS[type].length, frame.length - TAIL.length);
}

/** Where the object begins in a frame. */
export function objectStart(type: ObjectEventType): number {
  return HEADS[type].length;
}

/** How much longer a frame is than its object. */
export function frameOverhead(type: ObjectEventType): number {
  return HEADS[type].length + TAIL.length;
}

/** A watch event around any object's bytes. */
export function frameAround(type: ObjectEventType, object: Buffer): Buffer {
  return Buffer.concat([HEADS[type], object, TAIL]);
}

/** Bytes in memory of their own: a slice of Node's shared pool would keep its neighbours alive. */
export function ownBuffer(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
