/** The polynomial of CRC-32 (IEEE 802.3), the lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
/** x to the 8th. */
const ONE_BYTE = 0x00800000;

/** The CRC-32 of a text whose two halves have these; `length`: of the second half, in bytes. */
export function crc32Combine(first: number, second: number, length: number): number {
  // What follows the first half moves it up by 8 powers of x per byte, all modulo the polynomial.
  let moved = first;
  let power = ONE_BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) moved = product(moved, power);
    power = product(power, power);
  }
  return (moved ^ second) >>> 0;
}

/** The product of two polynomials over GF(2) modulo the CRC's own. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum >>> 0;
}
