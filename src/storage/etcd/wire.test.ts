import fc from 'fast-check';
import { WireReader, WireWriter } from './wire.js';

test('numbers, bytes and messages come back as they were, and what is not asked for is skipped', () => {
  const number = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0x7f, 0x80, 0x3fff, 0x4000, 2 ** 32, Number.MAX_SAFE_INTEGER));
  fc.assert(
    fc.property(number, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'grapheme' }), (small, large, bytes, text) => {
      const inner = new WireWriter().number(1, small).bytes(15, text);
      const message = new WireWriter().number(1, small).number(2, large).bytes(3, Buffer.from(bytes)).message(64, inner).number(900, true).finish();
      const found: unknown[] = [];
      for (const reader = new WireReader(message); reader.next(); ) {
        if (reader.field === 1) found.push(reader.number());
        else if (reader.field === 2) found.push(reader.bigint());
        else if (reader.field === 64) {
          const within = new WireReader(reader.bytes());
          while (within.next()) found.push(within.field === 1 ? within.number() : within.string());
        } else if (reader.field === 900) found.push(reader.boolean());
      }
      const present = [small, large, small, text].filter((value) => value !== 0 && value !== 0n && value !== '');
      expect(found).toEqual([...present, true]);
    }),
    { numRuns: 300 },
  );
});

test('a message that is cut off is refused, not read on', () => {
  const message = new WireWriter().bytes(1, 'some text').finish();
  for (let length = 1; length < message.length; length++) {
    const reader = new WireReader(message.subarray(0, length));
    expect(() => {
      while (reader.next()) reader.bytes();
    }).toThrow(RangeError);
  }
});
