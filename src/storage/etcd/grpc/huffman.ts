/** Bits of the code of each byte (RFC 7541, appendix B), as digits of base 36. */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmnlmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq';
const LONGEST = 30;

interface Level {
  /** The code of the first symbol of this length. */
  readonly first: number;
  readonly symbols: readonly number[];
}

/** The code is canonical: symbols of the same length have codes that follow each other, in the order of the symbols. */
const LEVELS: readonly Level[] = levels();

function levels(): Level[] {
  const found: Level[] = [];
  let code = 0;
  for (let length = 0; length <= LONGEST; length++) {
    const symbols: number[] = [];
    for (let symbol = 0; symbol < LENGTHS.length; symbol++) if (parseInt(LENGTHS[symbol]!, 36) === length) symbols.push(symbol);
    found.push({ first: code, symbols });
    code = (code + symbols.length) * 2;
  }
  return found;
}

/** The text of a Huffman-coded string of HPACK, byte for byte. Throws a `RangeError` for what is none. */
export function decodeHuffman(bytes: Buffer): string {
  const text: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      const level = LEVELS[++length];
      if (!level) throw new RangeError('a header is not Huffman-coded as it should be');
      const symbol = level.symbols[code - level.first];
      if (symbol === undefined) continue;
      text.push(symbol);
      code = 0;
      length = 0;
    }
  }
  // What is left is padding: fewer than eight ones.
  if (length > 7 || code !== 2 ** length - 1) throw new RangeError('a Huffman-coded header ends too early');
  return Buffer.from(text).toString('latin1');
}
