import type { V1SubjectAccessReview } from '../generated/types.js';
import { changed, createErrors, type Changes } from '../scheme/testing.js';
import { subjectAccessReview } from './subject-access-review.js';

const review: V1SubjectAccessReview = { spec: { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' } } };

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['nobody', { 'spec/user': undefined }, ['spec.user: Invalid value: "": at least one of user or group must be specified']],
  ['neither kind of attributes', { 'spec/resourceAttributes': undefined }, [
    'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ]],
  ['both kinds of attributes', { 'spec/nonResourceAttributes': { path: '/x' } }, [
    'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes',
  ]],
  ['a selector in two forms', { 'spec/resourceAttributes/fieldSelector': { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] } }, [
    'spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements',
  ]],
])('review of %s', (_what, changes, expected) => {
  expect(createErrors(subjectAccessReview, changed(review, changes))).toEqual(expected);
});
