import { JsonPath } from './json-path.js';

const object = { spec: { 'a.b': 1, list: [{ type: 'Ready', n: 3 }, { type: 'Other', n: 5 }] } };

test.each<[string, unknown[]]>([
  ['.spec.list[0].type', ['Ready']],
  ['.spec.list[-1].n', [5]],
  ['.spec.list[*].n', [3, 5]],
  ['.spec.list[?(@.type=="Ready")].n', [3]],
  ["{.spec['a.b']}".slice(1, -1), [1]],
  ['.spec.a\\.b', [1]],
  ['.spec.list[?(@.n>3)].type', ['Other']],
  ['.spec.none.deep', []],
])('%s', (path, expected) => {
  expect(JsonPath.parse(path)!.find(object)).toEqual(expected);
});

test.each(['.spec.[', '.a[?(@.x'])('%s cannot be read', (path) => {
  expect(JsonPath.parse(path)).toBeUndefined();
});
