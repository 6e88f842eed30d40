/** Types of HTTP/2 frames that matter here (RFC 9113, section 6). */
export const FRAME = { data: 0, headers: 1, resetStream: 3, settings: 4, pushPromise: 5, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 } as const;
/** `endStream` and `ack` are the same bit, of different frames. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;
export const SETTING = { headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4, maxFrameSize: 5 } as const;
/** Error codes (section 7). */
export const CODE = { none: 0, protocol: 1, refusedStream: 7, cancel: 8 } as const;

export const FRAME_HEADER_BYTES = 9;
/** What a peer may send in one frame, and what it takes unless it says otherwise. */
export const DEFAULT_FRAME_BYTES = 16_384;

/** One frame; `payload` is a slice of what was received. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Writes the nine bytes before a payload into `target`; returns where the payload begins. */
export function writeFrameHeader(target: Buffer, at: number, length: number, type: number, flags: number, stream: number): number {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEADER_BYTES;
}

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  payload.copy(bytes, writeFrameHeader(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, stream, payload);
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

/** Cuts what is received into frames. */
export class FrameReader {
  private rest: Buffer | undefined;

  /** Throws a `RangeError` for a frame longer than was agreed: whoever sends that speaks something else. */
  *read(chunk: Buffer): Generator<Frame> {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = undefined;
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (length > DEFAULT_FRAME_BYTES) throw new RangeError('what was received is not HTTP/2');
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      yield { type: bytes[at + 3]!, flags: bytes[at + 4]!, stream: bytes.readUInt32BE(at + 5) & 0x7fffffff, payload: bytes.subarray(at + FRAME_HEADER_BYTES, end) };
      at = end;
    }
    if (at < bytes.length) this.rest = bytes.subarray(at);
  }
}

/** The payload of a DATA or HEADERS frame without padding and priority. Throws a `RangeError` when it is too short. */
export function contentOf({ type, flags, payload }: Frame): Buffer {
  let start = 0;
  let end = payload.length;
  if (flags & FLAG.padded) end -= payload[start++] ?? 0;
  if (type === FRAME.headers && flags & FLAG.priority) start += 5;
  if (start > end) throw new RangeError('a frame has more padding than content');
  return payload.subarray(start, end);
}
