import { FieldPath } from '../field-path.js';
import { validateAnnotations, labelKey, labelValue } from './labels.js';
import { dns1035Label, dns1123Label, dns1123Subdomain, nameIsDnsLabel, nameIsDnsSubdomain, pathSegmentName, wildcardDns1123Subdomain } from './names.js';
import { portName } from './numbers.js';
import { configMapKey, envVarName } from './text.js';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

test.each([
  ['a', []],
  ['a-0', []],
  ['A', [LABEL]],
  ['-a', [LABEL]],
  ['', [LABEL]],
  ['a.b', ['must not contain dots']],
  ['x'.repeat(64), ['must be no more than 63 characters']],
])('label %p', (value, messages) => {
  expect(dns1123Label(value)).toEqual(messages);
});

test.each([
  ['app', []],
  ['example.com/app', []],
  ['/app', ['prefix part must be non-empty']],
  ['a.b/', ['name part must be non-empty', NAME_PART]],
  ['x'.repeat(64), ['name part must be no more than 63 bytes']],
  [`${'x'.repeat(254)}/a`, ['prefix part must be no more than 253 bytes']],
  ['-', [NAME_PART]],
])('label key %p', (value, messages) => {
  expect(labelKey(value)).toEqual(messages);
});

test('a key with two slashes is told the whole rule once', () => {
  expect(labelKey('a/b/c')).toHaveLength(1);
  expect(labelKey('a/b/c')[0]).toMatch(/^a valid label key must consist of .* with an optional DNS subdomain prefix and '\/' \(e.g. 'example.com\/MyName'\)$/);
});

test('label values may be empty', () => {
  expect(labelValue('')).toEqual([]);
  expect(labelValue('a b')).toHaveLength(1);
  expect(labelValue('ä'.repeat(40))[0]).toBe('must be no more than 63 bytes');
});

test('other name rules', () => {
  expect(dns1123Subdomain('a..b')).toHaveLength(1);
  expect(dns1035Label('0a')).toHaveLength(1);
  expect(wildcardDns1123Subdomain('*.example.com')).toEqual([]);
  expect(wildcardDns1123Subdomain('example.com')).toHaveLength(1);
  expect(pathSegmentName('..')).toEqual(["may not be '..'"]);
  expect(pathSegmentName('a/b%')).toEqual(["may not contain '/'", "may not contain '%'"]);
});

test('a generateName may end in a dash', () => {
  expect(nameIsDnsSubdomain('web-', true)).toEqual([]);
  expect(nameIsDnsSubdomain('web-', false)).toHaveLength(1);
  expect(nameIsDnsLabel('a.b-', true)).toEqual(['must not contain dots']);
});

test('ports, environment, keys', () => {
  expect(portName('http')).toEqual([]);
  expect(portName('8080')).toEqual(['must contain at least one letter (a-z)']);
  expect(portName('-a--b')).toEqual(['must not contain consecutive hyphens', 'must not begin or end with a hyphen']);
  expect(envVarName('a=b')).toHaveLength(1);
  expect(envVarName('9 lives')).toEqual([]);
  expect(configMapKey('..data')).toEqual(["must not start with '..'"]);
});

test('annotations together are at most 256 KiB', () => {
  const errors = validateAnnotations({ a: 'x'.repeat(256 * 1024) }, FieldPath.of('metadata', 'annotations'));
  expect(errors).toEqual([{ type: 'FieldValueTooLong', field: 'metadata.annotations', message: 'Too long: may not be more than 262144 bytes' }]);
  expect(validateAnnotations({ 'UPPER/Case': '' }, FieldPath.of('x'))).toEqual([]);
});
