/** Control frame types of SPDY/3.1. */
export const FRAME = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const;

export const FLAG_FIN = 0x01;

/** A frame as cut from the wire. */
export type Frame =
  | { readonly kind: 'data'; readonly streamId: number; readonly flags: number; readonly payload: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer };

/** Cuts a byte stream into frames. */
export class FrameReader {
  private buffered: Buffer[] = [];
  private size = 0;

  /** Takes bytes in and returns the frames that are complete now. */
  push(chunk: Buffer): Frame[] {
    this.buffered.push(chunk);
    this.size += chunk.length;
    const frames: Frame[] = [];
    while (this.size >= 8) {
      const head = this.peek(8);
      const length = head.readUIntBE(5, 3);
      if (this.size < 8 + length) break;
      const bytes = this.take(8 + length);
      const payload = bytes.subarray(8);
      const flags = bytes[4]!;
      if ((bytes[0]! & 0x80) === 0) frames.push({ kind: 'data', streamId: bytes.readUInt32BE(0), flags, payload });
      else frames.push({ kind: 'control', type: bytes.readUInt16BE(2), flags, payload });
    }
    return frames;
  }

  private peek(length: number): Buffer {
    const first = this.buffered[0]!;
    return first.length >= length ? first : this.flatten();
  }

  private take(length: number): Buffer {
    let first = this.buffered[0]!;
    if (first.length < length) first = this.flatten();
    const bytes = first.subarray(0, length);
    if (first.length === length) this.buffered.shift();
    else this.buffered[0] = first.subarray(length);
    this.size -= length;
    return bytes;
  }

  private flatten(): Buffer {
    const all = Buffer.concat(this.buffered);
    this.buffered = [all];
    return all;
  }
}

/** The bytes of a control frame. */
export function controlFrame(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003);
  head.writeUInt16BE(type, 2);
  head[4] = flags;
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** The head of a data frame; the payload follows. */
export function dataFrameHead(streamId: number, flags: number, length: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(streamId);
  head[4] = flags;
  head.writeUIntBE(length, 5, 3);
  return head;
}
