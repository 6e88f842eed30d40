import fc from 'fast-check';
import { escapeFieldValue, FieldSelector } from './field-selector.js';

test.each([
  ['metadata.name=a', 'metadata.name=a'], ['b==c,a!=d', 'a!=d,b=c'], ['', ''], ['a=b,', 'a=b'], [',a=b', 'a=b'], ['=', ''],
  ['a=b\\,c', 'a=b\\,c'], ['a=b\\=c\\\\', 'a=b\\=c\\\\'],
])('%s reads as %s', (input, text) => {
  expect(FieldSelector.parse(input).toString()).toBe(text);
});

test.each([
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['x=1,b', "invalid selector: 'x=1,b'; can't understand 'b'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
])('%s is refused', (input, message) => {
  expect(() => FieldSelector.parse(input)).toThrow(message);
});

test('matching and required values', () => {
  const selector = FieldSelector.parse('metadata.name=a,spec.nodeName!=n');
  const get = (fields: Record<string, string>) => (field: string): string => fields[field] ?? '';
  expect(selector.matches(get({ 'metadata.name': 'a' }))).toBe(true);
  expect(selector.matches(get({ 'metadata.name': 'a', 'spec.nodeName': 'n' }))).toBe(false);
  expect(selector.requiredValue('metadata.name')).toBe('a');
  expect(selector.requiredValue('spec.nodeName')).toBeUndefined();
});

test('every value can be escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (value, equal) => {
      const selector = FieldSelector.parse(`f${equal ? '=' : '!='}${escapeFieldValue(value)}`);
      expect(selector.requirements).toEqual([{ field: 'f', equal, value }]);
      expect(selector.matches(() => value)).toBe(equal);
    }),
  );
});
