import { KubeError } from '../base/errors.js';

/** How a quantity is written: `12M` (powers of ten), `12Mi` (powers of two) or `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_WRONG = 'unable to parse numeric part of quantity';
const SUFFIX_WRONG = "unable to parse quantity's suffix";

const SHAPE = /^([+-]?)0*([0-9]*)(\.[0-9]*)?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_TEXT = new Map(Object.entries(DECIMAL).map(([text, exponent]) => [exponent, text]));
const BINARY_TEXT = ['', ...Object.keys(BINARY)];

/** Nothing smaller than 10^-9 is kept; smaller parts round up. */
const NANO = -9;
/** Numbers with more digits leave the range where upstream keeps the text as it was written. */
const FAST_DIGITS = 18;
const MAX_INT64 = (1n << 63n) - 1n;
/** Exponents beyond this (only reachable by writing `1e999999`) are cut to it in arithmetic, to bound memory. */
const MAX_ARITHMETIC_EXPONENT = 10_000;

/**
 * An exact amount of a resource, `resource.Quantity` upstream: a whole number times a power of ten, never finer than 10^-9. Immutable.
 * Its text form is canonical, save where upstream keeps what the user wrote (`1.500`).
 */
export class Quantity {
  /** Amount = `unscaled` * 10^`exponent`. */
  private constructor(
    private readonly unscaled: bigint,
    private readonly exponent: number,
    readonly format: QuantityFormat,
    private readonly written?: string,
  ) {}

  /** The zero quantity. */
  static readonly zero = new Quantity(0n, 0, 'DecimalSI');

  /** Parses the text form. Throws a `KubeError` `KUBE_INVALID_QUANTITY` with upstream's message. */
  static parse(text: string): Quantity {
    if (text === '') throw wrong(FORMAT_WRONG);
    const match = SHAPE.exec(text);
    if (!match) throw wrong(FORMAT_WRONG);
    const negative = match[1] === '-';
    const whole = match[2] === '' ? '0' : match[2]!;
    const fraction = match[3] === undefined ? '' : match[3].slice(1);
    const suffix = match[4]!;
    const binary = BINARY[suffix];
    if (binary !== undefined) return parseBinary(text, negative, whole, fraction, binary, (u, e, f, w) => new Quantity(u, e, f, w));
    let exponent = DECIMAL[suffix];
    let format: QuantityFormat = 'DecimalSI';
    if (exponent === undefined) {
      exponent = parseExponent(suffix);
      format = 'DecimalExponent';
    }
    exponent -= fraction.length;
    const digits = whole + fraction;
    let unscaled = BigInt(digits);
    if (digits.length <= FAST_DIGITS && exponent >= NANO) {
      const keep = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
      return new Quantity(negative ? -unscaled : unscaled, exponent, format, keep ? text : undefined);
    }
    // Nothing before the suffix is a zero as long as it needs no rounding.
    if (!/[0-9]/.test(text.slice(0, text.length - suffix.length))) throw wrong(NUMERIC_WRONG);
    if (exponent < NANO) {
      unscaled = divideUp(unscaled, NANO - exponent);
      exponent = NANO;
    }
    return new Quantity(negative ? -unscaled : unscaled, exponent, format);
  }

  /** A whole number of units. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), 0, format);
  }

  /** A whole number of thousandths. */
  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), -3, format);
  }

  get isZero(): boolean {
    return this.unscaled === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.unscaled === 0n ? 0 : this.unscaled < 0n ? -1 : 1;
  }

  /** Units, rounded away from zero. Exact up to 2^53; beyond that the nearest double. */
  value(): number {
    return Number(this.scaled(0));
  }

  /** Thousandths, rounded away from zero. Exact up to 2^53; beyond that the nearest double. */
  milliValue(): number {
    return Number(this.scaled(-3));
  }

  /** The amount divided by 10^`scale`, rounded away from zero. */
  scaled(scale: number): bigint {
    const shift = this.cut() - scale;
    return shift >= 0 ? this.unscaled * 10n ** BigInt(shift) : divideUp(this.unscaled, -shift);
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(`${this.unscaled}e${this.exponent}`);
  }

  /** Negative when this is less than `other`, 0 when equal, positive when greater. */
  compare(other: Quantity): number {
    if (this.sign !== other.sign) return this.sign - other.sign;
    const common = Math.min(this.cut(), other.cut());
    const difference = this.scaled(common) - other.scaled(common);
    return difference === 0n ? 0 : difference < 0n ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum; it has this quantity's format, or the other's when this one is zero. */
  add(other: Quantity): Quantity {
    const format = this.isZero ? other.format : this.format;
    const common = Math.min(this.cut(), other.cut());
    return new Quantity(this.scaled(common) + other.scaled(common), common, format);
  }

  /** The difference; its format as for {@link add}. */
  sub(other: Quantity): Quantity {
    return this.add(other.negate()).withFormat(this.isZero ? other.format : this.format);
  }

  negate(): Quantity {
    return new Quantity(-this.unscaled, this.exponent, this.format);
  }

  /** Rounded away from zero to a multiple of 10^`scale`; itself when it already is one by its way of writing. */
  roundUp(scale: number): Quantity {
    return this.exponent >= scale ? this : new Quantity(this.scaled(scale), scale, this.format);
  }

  withFormat(format: QuantityFormat): Quantity {
    return format === this.format ? this : new Quantity(this.unscaled, this.exponent, format);
  }

  /** The text on the wire. */
  toString(): string {
    if (this.written !== undefined) return this.written;
    if (this.unscaled === 0n) return '0';
    return this.format === 'BinarySI' ? (this.binaryText() ?? this.decimalText('DecimalSI')) : this.decimalText(this.format);
  }

  toJSON(): string {
    return this.toString();
  }

  /** Undefined where powers of two would lose something, or look odd (below 1024). */
  private binaryText(): string | undefined {
    let value = this.scaled(0);
    if (this.exponent < 0 && value * 10n ** BigInt(-this.exponent) !== this.unscaled) return undefined;
    if (value > -1024n && value < 1024n) return undefined;
    let step = 0;
    while (value % 1024n === 0n) {
      value /= 1024n;
      step++;
    }
    return `${value}${BINARY_TEXT[step] ?? ''}`;
  }

  private decimalText(format: QuantityFormat): string {
    let { unscaled, exponent } = this;
    while (unscaled % 10n === 0n) {
      unscaled /= 10n;
      exponent++;
    }
    const over = ((exponent % 3) + 3) % 3;
    unscaled *= 10n ** BigInt(over);
    exponent -= over;
    if (format === 'DecimalSI') return `${unscaled}${DECIMAL_TEXT.get(exponent) ?? ''}`;
    return exponent === 0 ? `${unscaled}` : `${unscaled}e${exponent}`;
  }

  private cut(): number {
    return Math.min(this.exponent, MAX_ARITHMETIC_EXPONENT);
  }
}

type Make = (unscaled: bigint, exponent: number, format: QuantityFormat, written?: string) => Quantity;

function parseBinary(text: string, negative: boolean, whole: string, fraction: string, shift: number, make: Make): Quantity {
  const precision = FAST_DIGITS - 3 - whole.length - Math.trunc((shift * 3) / 10) - 1;
  const factor = 1n << BigInt(shift);
  const signed = (amount: bigint): bigint => (negative ? -amount : amount);
  if (fraction === '' && precision >= 0) {
    const number = BigInt(whole);
    return make(signed(number * factor), 0, 'BinarySI', (number & 7n) !== 0n ? text : undefined);
  }
  let exponent = -fraction.length;
  let unscaled = BigInt(whole + fraction) * factor;
  if (exponent < NANO) {
    unscaled = divideUp(unscaled, NANO - exponent);
    exponent = NANO;
  }
  const one = 10n ** BigInt(-exponent);
  if (unscaled > MAX_INT64 * one) return make(signed(MAX_INT64), 0, 'BinarySI');
  return make(signed(unscaled), exponent, unscaled > 0n && unscaled < one ? 'DecimalSI' : 'BinarySI');
}

/** The power of ten of a suffix such as `e3`, `E-2`. */
function parseExponent(suffix: string): number {
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw wrong(SUFFIX_WRONG);
  const value = BigInt(suffix[1] === '+' ? suffix.slice(2) : suffix.slice(1));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) throw wrong(SUFFIX_WRONG);
  return Number(BigInt.asIntN(32, value));
}

/** `unscaled` / 10^`digits`, rounded away from zero. */
function divideUp(unscaled: bigint, digits: number): bigint {
  if (unscaled === 0n) return 0n;
  const up = unscaled > 0n ? 1n : -1n;
  if (digits > MAX_ARITHMETIC_EXPONENT) return up;
  const divisor = 10n ** BigInt(digits);
  const quotient = unscaled / divisor;
  return quotient * divisor === unscaled ? quotient : quotient + up;
}

function wrong(message: string): KubeError {
  return new KubeError('KUBE_INVALID_QUANTITY', message);
}

const COMMON = /^([1-9][0-9]{0,11})(m|k|M|G|Ki|Mi|Gi|Ti)?$/;
const MILLI_FACTOR: Readonly<Record<string, number>> = {
  k: 1e6, M: 1e9, G: 1e12, Ki: 1024e3, Mi: 1048576e3, Gi: 1073741824e3, Ti: 1099511627776e3,
};

/** Thousandths of a quantity's text, rounded away from zero, as cheaply as possible and without a cache. Throws like {@link Quantity.parse}. */
export function quantityMilliValue(text: string): number {
  if (text === '0') return 0;
  const match = COMMON.exec(text);
  if (!match) return Quantity.parse(text).milliValue();
  const suffix = match[2];
  return suffix === undefined ? Number(match[1]) * 1000 : suffix === 'm' ? Number(match[1]) : Number(match[1]) * MILLI_FACTOR[suffix]!;
}

/** Units of a quantity's text, rounded away from zero, as cheaply as possible and without a cache. Throws like {@link Quantity.parse}. */
export function quantityValue(text: string): number {
  if (text === '0') return 0;
  const match = COMMON.exec(text);
  if (!match) return Quantity.parse(text).value();
  const suffix = match[2];
  return suffix === undefined ? Number(match[1]) : suffix === 'm' ? Math.ceil(Number(match[1]) / 1000) : Number(match[1]) * (MILLI_FACTOR[suffix]! / 1000);
}

/** A quantity's text as the API server answers it. Throws like {@link Quantity.parse}. */
export function canonicalQuantity(text: string): string {
  if (text === '0') return text;
  const match = COMMON.exec(text);
  if (match && (match[2]?.endsWith('i') ? Number(match[1]) % 1024 !== 0 : !match[1]!.endsWith('000'))) return text;
  return Quantity.parse(text).toString();
}
