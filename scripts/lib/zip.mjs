// Reads single files out of a ZIP archive (PKWARE APPNOTE 6.3: end record, central directory, deflate or stored).
import { open } from 'node:fs/promises';
import { inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** Calls `wanted(name)` for each entry and gives the content of those for which it returns true: Map of name to Buffer. */
export async function readZip(path, wanted) {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tail = await read(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
    let end = tail.length - 22;
    while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
    if (end < 0) throw new Error(`${path} is not a ZIP archive`);
    const directory = await read(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    const contents = new Map();
    for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY; ) {
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset));
      const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
      if (wanted(name)) contents.set(name, await content(file, directory, at));
      at += 46 + nameLength + extraLength + commentLength;
    }
    return contents;
  } finally {
    await file.close();
  }
}

async function content(file, directory, at) {
  const method = directory.readUInt16LE(at + 10);
  const packed = directory.readUInt32LE(at + 20);
  const offset = directory.readUInt32LE(at + 42);
  // The local header has name and extra field of lengths of its own.
  const local = await read(file, offset, 30);
  const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const bytes = await read(file, start, packed);
  return method === 0 ? bytes : promisify(inflateRaw)(bytes);
}

async function read(file, position, length) {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}
