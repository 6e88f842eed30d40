import fc from 'fast-check';
import { atOnce } from '../../base/steps.js';
import { decodeJson, decodeJsonSteps, parseJsonSteps } from './decode-json.js';
import { JsonParser } from './json-parser.js';
import { countKeys, scanJson } from './json-scan.js';
import { NumberLiteral } from './number-literal.js';

const decode = (text: string) => decodeJson(Buffer.from(text));

test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} {}', "invalid character '{' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['1.a', "invalid character 'a' after decimal point in numeric literal"],
  ['1e+', 'unexpected end of JSON input'],
  ['1ea', "invalid character 'a' in exponent of numeric literal"],
  ['[01]', "invalid character '1' after array element"],
  ['tru', 'unexpected end of JSON input'],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
])('%j is refused as upstream words it', (text, message) => {
  expect(() => decode(text)).toThrow(message);
});

test('nesting is limited', () => {
  expect(() => decode('['.repeat(100_000))).toThrow("invalid character '[' exceeded max depth");
  expect(() => decode('['.repeat(5000) + ']'.repeat(5000))).toThrow('exceeded max depth');
  expect(decode('['.repeat(500) + ']'.repeat(500)).duplicates).toBeUndefined();
});

test('duplicate keys are found where they are', () => {
  const { value, duplicates } = decode('{"a":{"b":1,"b":2},"c":[{"d":1}],"e":"\\"b\\":"}');
  expect(value).toEqual({ a: { b: 2 }, c: [{ d: 1 }], e: '"b":' });
  expect([...duplicates!.entries()].map(([object, keys]) => [object, [...keys]])).toEqual([[{ b: 2 }, [['b', [1]]]]]);
});

test('numbers keep their text where it matters', () => {
  expect(decode('[1,2.0,12345678901234567890]').value).toEqual([1, new NumberLiteral('2.0'), new NumberLiteral('12345678901234567890')]);
  expect(decode('{"a":"1.5"}').value).toEqual({ a: '1.5' });
});

test('__proto__ is a key like any other', () => {
  const { value } = decode('{"__proto__":{"x":1.5}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

const json = fc.json({ maxDepth: 4 });

test('the careful parser agrees with JSON.parse', () => {
  fc.assert(
    fc.property(json, (text) => {
      const revive = (_: string, value: unknown): unknown => (value instanceof NumberLiteral ? value.value : value);
      const parsed = atOnce(new JsonParser(text).parse());
      const plain = (value: unknown): unknown => {
        if (value instanceof NumberLiteral) return value.value;
        if (Array.isArray(value)) return value.map(plain);
        return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)])) : value;
      };
      expect(plain(parsed)).toEqual(JSON.parse(text, revive));
      expect(scanJson(text).keys).toBe(countKeys(JSON.parse(text)));
    }),
  );
});

test('damaged text is always refused with a message of the decoder', () => {
  fc.assert(
    fc.property(json, fc.nat(), fc.constantFrom('', '{', '"', '\\', ',', '0', '\0', 'é'), (text, at, insert) => {
      const i = at % (text.length + 1);
      const damaged = text.slice(0, i) + insert + text.slice(i + 1);
      try {
        decode(damaged);
      } catch (error) {
        expect(error).toHaveProperty('code', 'KUBE_CANNOT_DECODE');
        expect(() => JSON.parse(damaged)).toThrow();
      }
    }),
  );
});

test('long text with unusual numbers is parsed in pieces', () => {
  const steps = new JsonParser(`{"a":[${'1.5,'.repeat(200_000)}{"b":[${'[],'.repeat(100_000)}1]}]}`).parse();
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  expect(pauses).toBeGreaterThan(10);
});

test('a long body is parsed in steps, and comes to the same', () => {
  const values: Record<string, unknown> = {
    keys: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, i % 2 ? 'v' : null])),
    numbers: Array.from({ length: 200_000 }, (_, i) => (i % 20) - 5),
    items: Array.from({ length: 20_000 }, (_, i) => ({ name: `a\n"${i}`, flag: i % 2 === 0, more: [] })),
  };
  for (const [name, value] of Object.entries(values)) {
    const text = JSON.stringify({ [name]: value });
    const steps = decodeJsonSteps(Buffer.from(text));
    let count = 1;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    expect(step.value.value).toEqual({ [name]: value });
    expect([name, count > 4]).toEqual([name, true]);
  }
  const fractions = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
  expect(atOnce(parseJsonSteps(fractions))).toEqual(JSON.parse(fractions));
});

test('long texts are read as short ones are', () => {
  const long = 'x'.repeat(300);
  expect(decode(`{"a":1.5,"b":"${long}\\n\\u00e9\\"${long}"}`).value).toEqual({ a: new NumberLiteral('1.5'), b: `${long}\n\u00e9"${long}` });
  for (const [inside, message] of [['\n', "invalid character '\\n' in string literal"], ['\\x', "invalid character 'x' in string escape code"], ['\\u12g4', "invalid character 'g' in \\u hexadecimal character escape"]]) {
    expect(() => decode(`"${long}\\"${inside}${long}"`)).toThrow(message);
    expect(() => decode(`"${long}${inside}`)).toThrow(message);
  }
  expect(() => decode(`"${long}`)).toThrow('unexpected end of JSON input');
  expect(() => decode(`"${long}\\`)).toThrow('unexpected end of JSON input');
});
