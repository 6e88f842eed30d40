import fc from 'fast-check';
import { LabelSelector } from './label-selector.js';

test.each([
  ['a=b', 'a=b'], ['a==b', 'a==b'], [' c != d , a ', 'a,c!=d'], ['!a', '!a'], ['x in (b,a,b)', 'x in (a,b)'], ['x notin ()', 'x notin ()'],
  ['x in (,a)', 'x in (,a)'], ['x in (a,)', 'x in (,a)'], ['x in (a,,b)', 'x in (,a,b)'], ['a>5,b<6', 'a>5,b<6'], ['a=', 'a='], ['a=,b', 'a=,b'],
  ['in in (in,notin)', 'in in (in,notin)'], ['example.com/a in (x)', 'example.com/a in (x)'], ['', ''], ['a=in', 'a=in'],
])('%s reads as %s', (input, text) => {
  expect(LabelSelector.parse(input).toString()).toBe(text);
});

test.each([
  ['a,', "found '', expected: identifier after ','"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
  ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a>x', "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
  ['-a=b', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'],
  ['a=b@', 'unable to parse requirement: values[0][a]: Invalid value: "b@": a valid label must be an empty string'],
])('%s is refused', (input, message) => {
  expect(() => LabelSelector.parse(input)).toThrow(message);
});

test('each operator matches as upstream', () => {
  const matches = (selector: string, labels: Record<string, string>): boolean => LabelSelector.parse(selector).matches(labels);
  expect(matches('a!=b', {})).toBe(true);
  expect(matches('a notin (b)', {})).toBe(true);
  expect(matches('a in (b,c)', { a: 'c' })).toBe(true);
  expect(matches('a=', {})).toBe(false);
  expect(matches('a=', { a: '' })).toBe(true);
  expect(matches('a>5', { a: '+6' })).toBe(true);
  expect(matches('a>5', { a: 'x' })).toBe(false);
  expect(matches('a<5', {})).toBe(false);
  expect(matches('toString', {})).toBe(false);
  expect(LabelSelector.everything.matches(undefined)).toBe(true);
});

test('absent selects nothing, empty selects everything', () => {
  expect(LabelSelector.fromObject(undefined).matches({ a: 'b' })).toBe(false);
  expect(LabelSelector.fromObject({}).matches(undefined)).toBe(true);
  expect(LabelSelector.fromMap(undefined).isEverything).toBe(true);
});

test('from the API object', () => {
  const selector = LabelSelector.fromObject({
    matchLabels: { b: '1' },
    matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }, { key: 'c', operator: 'Exists' }],
  });
  expect(selector.toString()).toBe('a notin (x),b=1,c');
  expect(selector.requiredValue('b')).toBe('1');
  expect(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow('values: Invalid value: []: for \'in\', \'notin\' operators');
  expect(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'Is' }] })).toThrow('"Is" is not a valid label selector operator');
});

const word = fc.constantFrom('a', 'b', 'c', 'in', 'notin', 'x.y/z');
const value = fc.constantFrom('', 'a', 'b', '5', 'in');
const requirement = fc.oneof(
  word, word.map((key) => `!${key}`),
  fc.tuple(word, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
  fc.tuple(word, fc.constantFrom(' in ', ' notin '), fc.array(value, { minLength: 1, maxLength: 3 })).map(([key, operator, values]) => `${key}${operator}(${values.join(',')})`),
  fc.tuple(word, fc.constantFrom('>', '<'), fc.nat()).map((parts) => parts.join('')),
);

test('the text form is a fixed point and keeps the meaning', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(word, value), (parts, labels) => {
      const selector = LabelSelector.parse(parts.join(','));
      const again = LabelSelector.parse(selector.toString());
      expect(again.toString()).toBe(selector.toString());
      expect(again.matches(labels)).toBe(selector.matches(labels));
      expect(selector.matches(labels)).toBe(parts.every((part) => LabelSelector.parse(part).matches(labels)));
    }),
  );
});

test('no text makes the parser fail otherwise than with its own error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '!', '=', '(', ')', ',', ' ', 'in', '<', '>', '\0', '\n') }), (text) => {
      try {
        LabelSelector.parse(text);
      } catch (error) {
        expect(error).toHaveProperty('code', 'KUBE_INVALID_LABEL_SELECTOR');
      }
    }),
  );
});
