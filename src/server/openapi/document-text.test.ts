import { entriesOf, sectionsOf, withoutSections } from './document-text.js';

test('fields of a document are found and parsed in groups, and left out', async () => {
  const paths = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`/path/${i}`, { get: { text: `"},{\\ ${'x'.repeat(50)}`, list: [1, { paths: {} }] } }]));
  const document = { head: { paths: { no: 1 } }, list: [{ definitions: 2 }], paths, 'x-"definitions': 3, definitions: { a: 1 }, tail: 'paths' };
  const text = Buffer.from(`${JSON.stringify(document)}\n`);
  const sections = await sectionsOf(text, ['definitions', 'paths']);
  expect(sections.map(({ name, cuts }) => [name, cuts.length])).toEqual([['paths', 4], ['definitions', 0]]);
  expect(Object.assign({}, ...entriesOf(text, sections[0]!))).toEqual(paths);
  expect([...entriesOf(text, sections[1]!)]).toEqual([{ a: 1 }]);
  expect(withoutSections(text, sections)).toEqual({ ...document, paths: {}, definitions: {} });
});
