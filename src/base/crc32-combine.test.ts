import { crc32 } from 'node:zlib';
import { crc32Combine } from './crc32-combine.js';

test('the sum of a whole follows from those of its halves', () => {
  const text = Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(5000));
  for (const cut of [0, 1, 7, 4096, 100_000, text.length]) expect(crc32Combine(crc32(text.subarray(0, cut)), crc32(text.subarray(cut)), text.length - cut)).toBe(crc32(text));
});
