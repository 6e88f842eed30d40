import { badValueText, invalid, quote, required } from './meta/field-error.js';
import { FieldPath } from './meta/field-path.js';
import { MAX_SHOWN_CHARACTERS, shownJson } from './meta/shown-text.js';
import { validateFieldManager } from './meta/validation/managed-fields.js';
import { goText } from './patch/json.js';
import { badRequestError, invalidError, StatusError } from './status-error.js';

const POD = { group: '', kind: 'Pod' };
const path = FieldPath.of('spec', 'x');
const size = (error: StatusError): number => JSON.stringify(error.status).length;

/** Each part stands in the next one twice: as text it would be gigabytes. */
function doubled(): unknown {
  let value: unknown = { a: 'x' };
  for (let i = 0; i < 40; i++) value = i % 2 ? [value, value] : { b: value, a: value };
  return value;
}

test('what is shown of a value has an end, ordinary values are shown whole', () => {
  const value = { b: [1, 'é<', null, { c: true }], a: { z: 1.5, y: {} }, e: [] };
  expect(shownJson(value)).toBe(JSON.stringify(value));
  expect(shownJson(value, true)).toBe('{"a":{"y":{},"z":1.5},"b":[1,"é<",null,{"c":true}],"e":[]}');
  expect(goText({ b: [1, null], a: {} })).toBe('map[a:map[] b:[1 <nil>]]');
  expect(goText({ })).toBe('map[]');
  const long = 'x'.repeat(MAX_SHOWN_CHARACTERS);
  expect(quote(long)).toBe(`"${long}"`);
  expect(quote(`${long}yz`)).toBe(`"${long}... (cut off)"`);
  expect(quote(`${long.slice(1)}\u{1f4a5}`)).toBe(`"${long.slice(1)}... (cut off)"`);
  for (const text of [badValueText(doubled()), shownJson(doubled(), true), goText(doubled())]) {
    expect(text).toMatch(/\.\.\. \(cut off\)$/);
    expect(text.length).toBeLessThan(MAX_SHOWN_CHARACTERS + 100);
  }
});

test('an answer lists the errors that it has room for, and says how many more there are', () => {
  const few = invalidError(POD, 'p', [invalid(path, 'a', 'must be b'), required(path)]);
  expect(few.status.details?.causes).toHaveLength(2);
  const many = invalidError(POD, 'p', Array.from({ length: 100_000 }, (_, i) => invalid(path.index(i), 'y'.repeat(100), 'must be b')));
  const causes = many.status.details!.causes!;
  expect(causes.length).toBeGreaterThan(100);
  expect(causes.at(-1)).toEqual({ field: '<nil>', message: `${100_000 - causes.length + 1} more errors are not listed` });
  expect(many.message).toMatch(/^Pod "p" is invalid: \[spec\.x\[0\]: Invalid value: .* more errors are not listed\]$/);
  expect(size(many)).toBeLessThan(400_000);
});

test('no text of an answer is endless', () => {
  const text = 'z'.repeat(3_000_000);
  expect(size(badRequestError(text))).toBeLessThan(200_000);
  const error = invalidError(POD, text, [invalid(FieldPath.of(text), text, text)]);
  expect(size(error)).toBeLessThan(1_000_000);
  expect(error.status.details?.causes).toHaveLength(1);
  const status = { status: 'Failure', message: 'm', details: { causes: Array.from({ length: 50_000 }, () => ({ message: 'from a webhook' })) } };
  expect(size(new StatusError(status))).toBeLessThan(1_000_000);
});

test('a field manager of thousands of control characters does not make an error of each', () => {
  const errors = validateFieldManager('\u0001'.repeat(200_000), FieldPath.of('fieldManager'));
  expect(errors.length).toBeLessThanOrEqual(1000);
  expect(size(invalidError({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors))).toBeLessThan(400_000);
});
