import { gunzipSync } from 'node:zlib';
import { gzipOf, gzipPiece } from './gzip-pieces.js';

test('parts that were compressed by themselves make one stream', async () => {
  const texts = ['', 'a', 'some text, '.repeat(10_000), 'ü', ''].map((text) => Buffer.from(text));
  const pieces = await Promise.all(texts.map(gzipPiece));
  expect(gunzipSync(gzipOf(pieces)).equals(Buffer.concat(texts))).toBe(true);
  expect(gunzipSync(gzipOf([])).length).toBe(0);
});
