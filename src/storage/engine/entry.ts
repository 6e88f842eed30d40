import { crc32 } from 'node:zlib';
import type { KeyValue, Revision } from '../store.js';

/** A key's newest value as the engine keeps it. */
export interface Entry extends KeyValue {
  /** Wall-clock milliseconds at which the key is deleted; 0: never. */
  readonly expiresAt: number;
  /** Checksum of key, revisions and value. */
  readonly hash: number;
}

/** One change of one key by a planned transaction. */
export interface Change {
  readonly key: string;
  /** Absent: the key is deleted. */
  readonly next: Entry | undefined;
  /** What the key held just before this transaction. */
  readonly previous: Entry | undefined;
}

/** A transaction that passed its comparisons and has a revision, but is not committed yet. */
export interface PlannedTransaction {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

const HEADER_BYTES = 28;
/** The part of the header that the checksum covers; the checksum itself follows. */
const HASHED_BYTES = HEADER_BYTES - 4;
/** What the upper half of a 64-bit number counts. */
const UPPER = 2 ** 32;

/** Makes an entry and its checksum. */
export function makeEntry(key: string, value: Buffer, createRevision: Revision, modRevision: Revision, expiresAt: number): Entry {
  const header = Buffer.allocUnsafe(HASHED_BYTES);
  writeHeader(header, createRevision, modRevision, expiresAt);
  const hash = crc32(value, crc32(header, crc32(key)));
  return { key, value, createRevision, modRevision, expiresAt, hash };
}

/** Bytes of an entry as they are kept on disk: revisions, expiry, checksum, value. */
export function encodeEntry(entry: Entry): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + entry.value.length);
  writeHeader(bytes, entry.createRevision, entry.modRevision, entry.expiresAt);
  bytes.writeUInt32LE(entry.hash, HASHED_BYTES);
  entry.value.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** Reads an entry back; undefined when its checksum does not fit. */
export function decodeEntry(key: string, bytes: Buffer): Entry | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const entry = makeEntry(
    key,
    bytes.subarray(HEADER_BYTES),
    Number(bytes.readBigUInt64LE(0)),
    Number(bytes.readBigUInt64LE(8)),
    Number(bytes.readBigUInt64LE(16)),
  );
  return entry.hash === bytes.readUInt32LE(HASHED_BYTES) ? entry : undefined;
}

function writeHeader(target: Buffer, createRevision: Revision, modRevision: Revision, expiresAt: number): void {
  writeUint64(target, createRevision, 0);
  writeUint64(target, modRevision, 8);
  writeUint64(target, expiresAt, 16);
}

/** Little-endian; without the detour over a `bigint`. */
function writeUint64(target: Buffer, value: number, at: number): void {
  target.writeUInt32LE(value % UPPER, at);
  target.writeUInt32LE(Math.floor(value / UPPER), at + 4);
}
