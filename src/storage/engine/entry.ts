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

/** Makes an entry and its checksum. */
export function makeEntry(key: string, value: Buffer, createRevision: Revision, modRevision: Revision, expiresAt: number): Entry {
  const header = headerOf(createRevision, modRevision, expiresAt);
  const hash = crc32(value, crc32(header.subarray(0, HEADER_BYTES - 4), crc32(key)));
  return { key, value, createRevision, modRevision, expiresAt, hash };
}

/** Bytes of an entry as they are kept on disk: revisions, expiry, checksum, value. */
export function encodeEntry(entry: Entry): Buffer {
  const header = headerOf(entry.createRevision, entry.modRevision, entry.expiresAt);
  header.writeUInt32LE(entry.hash, HEADER_BYTES - 4);
  return Buffer.concat([header, entry.value]);
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
  return entry.hash === bytes.readUInt32LE(HEADER_BYTES - 4) ? entry : undefined;
}

function headerOf(createRevision: Revision, modRevision: Revision, expiresAt: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64LE(BigInt(createRevision), 0);
  header.writeBigUInt64LE(BigInt(modRevision), 8);
  header.writeBigUInt64LE(BigInt(expiresAt), 16);
  return header;
}
