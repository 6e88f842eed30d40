import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { freesNames, GroupNames } from './group-names.js';

const definition = (group: string, plural: string, kind: string, shortNames: string[] = []): V1CustomResourceDefinition => ({
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [] },
  status: { acceptedNames: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames } },
});

test('names are taken in their group, by kind of name, as long as somebody has them', () => {
  const names = new GroupNames();
  names.follow('a', definition('one', 'things', 'Thing', ['th']));
  names.follow('b', definition('one', 'others', 'Other', ['th']));
  const { resources, kinds } = names.taken('one');
  expect(['things', 'thing', 'th', 'Thing'].map((name) => resources.has(name))).toEqual([true, true, true, false]);
  expect(['Thing', 'ThingList', 'things'].map((name) => kinds.has(name))).toEqual([true, true, false]);
  expect(names.taken('two').kinds.has('Thing')).toBe(false);
  names.follow('a', definition('one', 'stuffs', 'Stuff'));
  expect(['things', 'th', 'stuffs'].map((name) => names.taken('one').resources.has(name))).toEqual([false, true, true]);
  names.follow('b', undefined);
  expect(names.taken('one').resources.has('th')).toBe(false);
});

test('names that are being written are taken until then, whatever is read meanwhile', () => {
  const names = new GroupNames();
  const wanted = definition('one', 'things', 'Thing');
  const release = names.claim('one', wanted.status!.acceptedNames!);
  names.follow('a', { ...wanted, status: {} });
  expect(names.taken('one').kinds.has('Thing')).toBe(true);
  names.follow('a', wanted);
  release();
  expect(names.taken('one').kinds.has('Thing')).toBe(true);
  names.follow('a', undefined);
  expect(names.taken('one').kinds.has('Thing')).toBe(false);
});

test('names are freed by giving them up, not by getting them', () => {
  const before = definition('one', 'things', 'Thing', ['th']);
  expect(freesNames(before, { ...before, status: {} })).toBe(false);
  expect(freesNames({ ...before, status: {} }, before)).toBe(true);
  expect(freesNames(before, undefined)).toBe(false);
  expect(freesNames(definition('one', 'things', 'Thing'), before)).toBe(true);
  expect(freesNames(definition('one', 'things', 'Other', ['th']), before)).toBe(true);
});
