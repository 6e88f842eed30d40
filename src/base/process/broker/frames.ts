/**
 * What the broker and its client say to each other: `length (u32) | kind (u8) | command (u32) | payload`, little-endian, the
 * length counted from the kind on. Each stream of a command has a window: a side sends no more than it was granted.
 */
export enum Kind {
  /** To the broker: start; the payload is a {@link StartRequest} as JSON. */
  Start = 1,
  Stdin,
  StdinEnd,
  /** A signal's name. */
  Kill,
  /** Columns and rows, two u16. */
  Resize,
  /** The client reads a stream no more: {@link Kind.Stdout} or {@link Kind.Stderr} as u8. */
  Abandon,
  /** To the client: the pid as u32. */
  Started,
  /** Why it could not be started, as text. */
  Failed,
  Stdout,
  Stderr,
  StdoutEnd,
  StderrEnd,
  /** Exit code as i32. */
  Exit,
  /** Either way: grants so many bytes (u32) more of a stream (u8). */
  Grant,
}

/** Most bytes of one stream that are under way. */
export const WINDOW = 256 * 1024;
/** Most bytes of a stream in one frame. */
export const CHUNK = 64 * 1024;

const HEADER = 9;

/** What is started, and how. */
export interface StartRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly pipes: boolean;
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

export interface Frame {
  readonly kind: Kind;
  readonly command: number;
  readonly payload: Buffer;
}

/** The beginning of a frame; its payload follows. */
export function frameHeader(kind: Kind, command: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt32LE(payloadBytes + HEADER - 4);
  header.writeUInt8(kind, 4);
  header.writeUInt32LE(command, 5);
  return header;
}

/** Payload of {@link Kind.Grant}. */
export function grantPayload(stream: Kind, bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(5);
  payload.writeUInt8(stream);
  payload.writeUInt32LE(bytes, 1);
  return payload;
}

/** Cuts a byte stream into frames. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly take: (frame: Frame) => void) {}

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length < this.wanted()) return;
    let bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32LE()) {
      const end = 4 + bytes.readUInt32LE();
      this.take({ kind: bytes.readUInt8(4), command: bytes.readUInt32LE(5), payload: bytes.subarray(HEADER, end) });
      bytes = bytes.subarray(end);
    }
    this.chunks = bytes.length > 0 ? [bytes] : [];
    this.length = bytes.length;
  }

  /** Bytes that the next frame needs. */
  private wanted(): number {
    const first = this.chunks[0]!;
    return first.length >= 4 ? 4 + first.readUInt32LE() : 4;
  }
}
