import { toDraft, type Draft } from '../draft.js';
import type { V1Job } from '../generated/types.js';
import { job } from './job.js';

const NAMES = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];

function prepared(metadata: Draft<V1Job>['metadata'], labels?: Record<string, string>): Draft<V1Job> {
  const draft: Draft<V1Job> = { metadata: { ...metadata, uid: 'u' }, spec: { template: { ...(labels ? { metadata: { labels } } : {}), spec: { containers: [] } } } };
  job.defaults!(draft);
  // Objects with a generated name are copied for each attempt.
  const attempt = metadata?.generateName === undefined ? draft : toDraft(draft as V1Job);
  job.prepareForCreate!(attempt, { now: 0, userName: '' });
  return attempt;
}

const labelsOf = (object: V1Job): string[] => Object.keys(object.metadata?.labels ?? {}).sort();

test.each([
  ['pods with labels', { name: 'j' }, { a: 'b' }, ['a', ...NAMES], ['a', ...NAMES]],
  ['pods without labels', { name: 'j' }, undefined, [], NAMES],
  ['a generated name', { name: 'j-x', generateName: 'j-' }, { a: 'b' }, ['a'], ['a']],
  ['labels of its own', { name: 'j', labels: { own: '1' } }, { a: 'b' }, ['own'], ['own']],
])('the labels of a job with %s, when it is validated and when it is read', (_what, metadata, labels, validated, read) => {
  const draft = prepared(metadata as Draft<V1Job>['metadata'], labels as Record<string, string> | undefined);
  expect(labelsOf(draft as V1Job)).toEqual([...validated].sort());
  expect(labelsOf(job.whenRead!(draft as V1Job))).toEqual([...read].sort());
});
