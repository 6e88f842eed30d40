import { Pattern } from './pattern.js';

// As Go's regexp was seen to answer.
test.each<[string, string, boolean]>([
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'aBc', false],
  ['b', 'abc', true],
  ['^(a|bc){2,3}$', 'abca', true],
  ['^(a|bc){2,3}$', 'a', false],
  ['^a{2}$', 'aa', true],
  ['^\\d+(\\.\\d+)?$', '12.5', true],
  ['(?i)^HELLO$', 'hello', true],
  ['^[[:alpha:]]+$', 'abc1', false],
  ['^\\pL+$', 'äöü', true],
  ['\\bfoo\\b', 'a foo b', true],
  ['\\bfoo\\b', 'afoob', false],
  ['^a.c$', 'a\nc', false],
  ['(?s)^a.c$', 'a\nc', true],
  ['(?m)^b$', 'a\nb\nc', true],
  ['^$', '', true],
  ['\\A(?:x|)\\z', '', true],
  ['[^a-c]', 'abc', false],
  ['[]a]', ']', true],
  ['^\\x41\\x{1F600}$', 'A😀', true],
  ['^\\Qa.b\\E$', 'a.b', true],
  ['^(?P<name>x)+?$', 'xx', true],
  ['a{,2}', 'a{,2}', true],
])('%s in %j', (source, text, expected) => {
  expect(new Pattern(source).test(text)).toBe(expected);
});

test('what explodes elsewhere takes its time by the length of the text', () => {
  const pattern = new Pattern('^(a+)+$');
  expect(pattern.test(`${'a'.repeat(20_000)}b`)).toBe(false);
  expect(new Pattern('^(.*?,){50}P').test('1,'.repeat(2_000))).toBe(false);
  // More than anyone wants to wait for.
  expect(new Pattern('^(x?y?.{0,900}){10}Q$').test('xyz'.repeat(100_000))).toBe(false);
});

test.each([
  ['a(b', 'missing closing )'],
  ['a)', 'unexpected )'],
  ['*a', 'missing argument to repetition operator'],
  ['[b-a]', 'invalid character class range'],
  ['(?=a)', 'invalid or unsupported Perl syntax'],
  ['\\1', 'invalid escape sequence'],
  ['a{1001}', 'invalid repeat count'],
  ['((a{1000}){1000}){1000}', 'expression too large'],
])('%s cannot be read', (source, message) => {
  expect(() => new Pattern(source)).toThrow(message);
});
