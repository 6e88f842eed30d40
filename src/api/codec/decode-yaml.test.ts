import fc from 'fast-check';
import { decodeYaml } from './decode-yaml.js';

const decode = (text: string) => decodeYaml(Buffer.from(text));

test('scalars are resolved as kubectl does', () => {
  const { value } = decode(`
a: yes
b: Off
y: n
c: 0777
d: 0o17
e: 0b11
f: 1_000
g: 1:30
h: 2020-01-01
i: 1e400
j: 08
k: 1.50
l: ~
m:
n: "yes"
o: -0x1f
p: .5
q: 1e3
r: !!binary aGk=
`);
  expect(value).toEqual({
    a: true, b: false, true: false, c: 511, d: 15, e: 3, f: 1000, g: '1:30', h: '2020-01-01', i: '1e400', j: 8, k: 1.5, l: null, m: null, false: 'yes', o: -31, p: 0.5, q: 1000, r: 'hi',
  });
});

test('keys become text', () => {
  expect(decode('1: a\ntrue: b\n__proto__: c\n').value).toEqual(JSON.parse('{"1":"a","true":"b","__proto__":"c"}'));
  expect(() => decode('? {a: 1}\n: b\n')).toThrow('unsupported map key');
});

test('JSON and several documents', () => {
  expect(decode('{"a": [1, "x", null]}').value).toEqual({ a: [1, 'x', null] });
  expect(decode('a: 1\n---\nb: 2\n').value).toEqual({ a: 1 });
  expect(decode('').value).toBeNull();
});

test('duplicate keys are strict errors, the last one wins', () => {
  const { value, strictErrors } = decode('spec:\n  a: 1\n  b: 2\n  a: 3\nkind: x\nkind:\n  z: 1\n');
  expect(value).toEqual({ spec: { a: 3, b: 2 }, kind: { z: 1 } });
  expect(strictErrors).toEqual(['yaml: unmarshal errors:\n  line 4: key "a" already set in map\n  line 7: key "kind" already set in map']);
});

test('keys come in order, as in the JSON that upstream makes of it', () => {
  expect(JSON.stringify(decodeYaml(Buffer.from('b: [{z: 1, w: 2}]\na: {d: 1, c: 1.50}\n')).value)).toBe('{"a":{"c":1.5,"d":1},"b":[{"w":2,"z":1}]}');
});

test('JSON is read as the YAML that it is', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('<<', '__proto__', 'yes', '1', '10', '2', '\u2028', '\u0085', '/', '\t'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, text, fc.boolean(), fc.constant(null), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(tie('value')), tie('object')),
    object: fc.dictionary(text, tie('value'), { noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, value, { noNullPrototype: true }), fc.constantFrom(0, 2), (object, indent) => {
      const json = JSON.stringify(object, undefined, indent);
      // A blank before it, and it is read as YAML.
      const attempt = (source: string): string => {
        try {
          const { value: read, strictErrors } = decode(source);
          return JSON.stringify({ read, strictErrors });
        } catch (error) {
          return (error as Error).message.replace(/ \(.*/, '');
        }
      };
      expect(attempt(json)).toBe(attempt(` ${json}`));
    }),
    { numRuns: 300 },
  );
});

test('merge keys give way to explicit ones', () => {
  const { value, strictErrors } = decode('base: &b {a: 1, c: 2}\nx:\n  <<: *b\n  a: 3\n');
  expect(value).toEqual({ base: { a: 1, c: 2 }, x: { a: 3, c: 2 } });
  expect(strictErrors).toBeUndefined();
});

test('each use of an anchor is a value of its own', () => {
  const { value } = decode('a: &x {k: 1}\nb: *x\n');
  const { a, b } = value as { a: object; b: object };
  expect(b).toEqual(a);
  expect(b).not.toBe(a);
});

test('aliases cannot blow a document up', () => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 10; i++) lines.push(`a${i}: &a${i} [${Array(10).fill(`*a${i - 1}`).join(',')}]`);
  expect(() => decode(lines.join('\n'))).toThrow('excessive aliasing');
});

test.each(['a: b: c', '[', 'a: *x', '\t- a', 'a: !!int x'])('%s is refused with an error of the decoder', (text) => {
  expect(() => decode(text)).toThrow(expect.objectContaining({ code: 'KUBE_CANNOT_DECODE', message: expect.stringMatching(/^yaml: /) as unknown }) as Error);
});

test('an alias of nothing', () => {
  expect(() => decode('a: *x')).toThrow("yaml: unknown anchor 'x' referenced");
});

test('nesting is limited', () => {
  expect(() => decode('['.repeat(5000))).toThrow('nesting exceeded');
});

test('a text does not begin with a tab', () => {
  for (const text of ['\t', ' \t', '\ta: b', '\t\n']) expect(() => decode(text)).toThrow(/^yaml: found character that cannot start any token$/);
  expect(() => decode('# one\n\n \ta: b')).toThrow('yaml: line 3: found character that cannot start any token');
  expect(decode('a: b\t').value).toEqual({ a: 'b' });
});
