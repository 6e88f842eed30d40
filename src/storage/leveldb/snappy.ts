/** Unpacks a block in Snappy's raw format (format_description.txt of the Snappy project). Throws a `RangeError` when it is not one. */
export function snappyUncompress(packed: Buffer): Buffer {
  let at = 0;
  const byte = (): number => {
    if (at >= packed.length) throw new RangeError('the block ends too early');
    return packed[at++]!;
  };
  const little = (bytes: number): number => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += byte() * 2 ** (8 * i);
    return value;
  };
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const next = byte();
    length += (next & 0x7f) * 2 ** shift;
    if (next < 0x80) break;
  }
  // No element gives more than 64 bytes for less than two.
  if (length > packed.length * 64) throw new RangeError('the length is impossible');
  const out = Buffer.alloc(length);
  let end = 0;
  while (at < packed.length) {
    const tag = byte();
    if ((tag & 3) === 0) {
      const size = (tag >>> 2 < 60 ? tag >>> 2 : little((tag >>> 2) - 59)) + 1;
      if (at + size > packed.length || end + size > length) throw new RangeError('a literal is too long');
      packed.copy(out, end, at, at + size);
      at += size;
      end += size;
      continue;
    }
    const size = (tag & 3) === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const offset = (tag & 3) === 1 ? ((tag >>> 5) << 8) + byte() : little((tag & 3) === 2 ? 2 : 4);
    if (offset === 0 || offset > end || end + size > length) throw new RangeError('a copy reaches too far');
    // Byte by byte: a copy may read what it has just written.
    for (let i = 0; i < size; i++, end++) out[end] = out[end - offset]!;
  }
  if (end !== length) throw new RangeError('the block is too short');
  return out;
}
