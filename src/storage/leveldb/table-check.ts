import { readFile } from 'node:fs/promises';
import { crc32c } from './crc32c.js';
import { snappyUncompress } from './snappy.js';

const FOOTER_BYTES = 48;
const TRAILER_BYTES = 5;
const MAGIC = 0xdb4775248b80fb57n;
const UNCOMPRESSED = 0;
const SNAPPY = 1;

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/**
 * Compares every block of a LevelDB table (doc/table_format.md of LevelDB) with its checksum. LevelDB itself does not do so when it reads
 * for us, and a damaged block can end the whole process in one of its assertions. Gives what is wrong, or undefined.
 */
export async function tableDamage(path: string): Promise<string | undefined> {
  const file = await readFile(path);
  try {
    checkTable(file);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

function checkTable(file: Buffer): void {
  if (file.length < FOOTER_BYTES) throw new RangeError('it is too short');
  const footer = new Fields(file.subarray(file.length - FOOTER_BYTES));
  const metaindex = footer.handle();
  const index = footer.handle();
  if (footer.bytes.readBigUInt64LE(FOOTER_BYTES - 8) !== MAGIC) throw new RangeError('its end is not that of a table');
  // What is behind the handles means nothing, but writers leave it empty.
  if (footer.bytes.subarray(footer.at, FOOTER_BYTES - 8).some((byte) => byte !== 0)) throw new RangeError('its footer is damaged');
  let next = 0;
  const inOrder = (handle: Handle): void => {
    if (handle.offset !== next) throw new RangeError(`there is a gap at byte ${next}`);
    next = handle.offset + handle.size + TRAILER_BYTES;
  };
  for (const handle of handles(block(file, index))) {
    inOrder(handle);
    block(file, handle);
  }
  for (const handle of handles(block(file, metaindex))) {
    inOrder(handle);
    block(file, handle);
  }
  inOrder(metaindex);
  inOrder(index);
  if (next !== file.length - FOOTER_BYTES) throw new RangeError(`there is a gap at byte ${next}`);
}

/** Checks one block and unpacks it. */
function block(file: Buffer, { offset, size }: Handle): Buffer {
  const end = offset + size;
  if (end + TRAILER_BYTES > file.length - FOOTER_BYTES) throw new RangeError(`the block at byte ${offset} is too long`);
  // Checksums are kept rotated and shifted, since they are themselves part of what is summed up elsewhere.
  const rotated = (file.readUInt32LE(end + 1) - 0xa282ead8) >>> 0;
  const wanted = ((rotated >>> 17) | (rotated << 15)) >>> 0;
  if (crc32c(file, offset, end + 1) !== wanted) throw new RangeError(`the block at byte ${offset} does not fit its checksum`);
  const content = file.subarray(offset, end);
  const type = file[end];
  if (type === SNAPPY) return snappyUncompress(content);
  if (type !== UNCOMPRESSED) throw new RangeError(`the block at byte ${offset} has the unknown type ${type}`);
  return content;
}

/** The handles that are the values of an index block. */
function* handles(index: Buffer): Generator<Handle> {
  const restarts = index.readUInt32LE(index.length - 4);
  const end = index.length - 4 - 4 * restarts;
  const fields = new Fields(index);
  while (fields.at < end) {
    fields.number();
    const keyLength = fields.number();
    const valueLength = fields.number();
    const value = fields.at + keyLength;
    fields.at = value;
    yield fields.handle();
    fields.at = value + valueLength;
  }
}

/** Reads numbers of variable length. */
class Fields {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  number(): number {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = this.bytes.readUInt8(this.at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number is too long');
  }

  handle(): Handle {
    return { offset: this.number(), size: this.number() };
  }
}
