import fc from 'fast-check';
import { prettyBytes, PrettyJson } from './pretty-json.js';

function pretty(pieces: readonly Buffer[]): { readonly text: string; readonly steps: number } {
  const printer = new PrettyJson();
  const out = pieces.flatMap((piece) => [...printer.next(piece)]);
  return { text: Buffer.concat(out).toString(), steps: out.length };
}

test('indented JSON is what it would be if it were written so at first, however it is cut', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 7 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
      expect(pretty(pieces).text).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

test('long JSON is indented in steps', () => {
  const value = { items: Array.from({ length: 20_000 }, (_, i) => ({ metadata: { name: `a"\\${i}`, labels: {} }, list: [[], [i]] })) };
  const bytes = Buffer.from(JSON.stringify(value));
  const { text, steps } = pretty([bytes]);
  expect(text).toBe(JSON.stringify(value, undefined, 2));
  expect(steps).toBeGreaterThan(bytes.length / (200 * 1024));
});

test('what is indented already is indented as it should be, and ends with a line end', async () => {
  const value = { a: [1, { b: 'c  d' }], e: {} };
  expect((await prettyBytes(Buffer.from(`${JSON.stringify(value, undefined, '\t')}\n`))).toString()).toBe(`${JSON.stringify(value, undefined, 2)}\n`);
});
