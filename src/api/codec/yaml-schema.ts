import { defineMappingTag, defineScalarTag, mergeTag, NOT_RESOLVED, nullYaml11Tag, Schema, seqTag, strTag } from 'js-yaml';

/*
 * Scalars as kubectl's and the API server's YAML reader resolves them: YAML 1.1 with exceptions. `yes`, `on` and `y` are booleans (also as keys),
 * `0777` and `0o777` are octal, `1_000` is a number; `1:30`, dates and numbers out of range are text.
 */

const BOOLEANS = new Map(
  (
    [
      [true, 'y yes true on'],
      [false, 'n no false off'],
    ] as const
  ).flatMap(([value, words]) => words.split(' ').flatMap((word) => [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()].map((text) => [text, value] as const))),
);

const INTEGER = /^[-+]?(?:0[bB][01]+|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const FIRST_OF_NUMBER = [...'+-.0123456789'];

function parseInteger(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  if (!INTEGER.test(plain)) return undefined;
  const negative = plain.startsWith('-');
  let digits = plain.replace(/^[-+]/, '');
  if (/^0[0-7]+$/.test(digits)) digits = `0o${digits.slice(1)}`;
  const value = Number(digits);
  return negative ? -value : value;
}

function parseFloat64(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  if (!FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...new Set([...BOOLEANS.keys()].map((word) => word[0]!))],
  resolve: (source) => BOOLEANS.get(source) ?? NOT_RESOLVED,
  identify: (value) => typeof value === 'boolean',
});

const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: FIRST_OF_NUMBER,
  resolve: (source) => parseInteger(source) ?? NOT_RESOLVED,
  identify: (value) => Number.isInteger(value),
});

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: FIRST_OF_NUMBER,
  resolve: (source) => parseFloat64(source) ?? NOT_RESOLVED,
  identify: (value) => typeof value === 'number',
});

const binaryTag = defineScalarTag<string>('tag:yaml.org,2002:binary', {
  resolve: (source) => Buffer.from(source, 'base64').toString(),
  identify: () => false,
});

/** Keys become text as in JSON; `__proto__` is a key like any other. */
const mapTag = defineMappingTag<Record<string, unknown>>('tag:yaml.org,2002:map', {
  create: () => ({}),
  addPair: (map, key, value) => {
    if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean') return 'unsupported map key';
    const name = String(key);
    if (name === '__proto__') Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
    else map[name] = value;
    return '';
  },
  has: (map, key) => Object.hasOwn(map, String(key)),
  keys: (map) => Object.keys(map),
  get: (map, key) => map[String(key)],
  identify: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
});

/** The schema for reading manifests. */
export const MANIFEST_SCHEMA = new Schema([strTag, seqTag, mapTag, nullYaml11Tag, boolTag, intTag, floatTag, binaryTag, mergeTag]);
