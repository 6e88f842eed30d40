import { templateData, templateOf } from './revisions.js';

test('the data of a revision is the template as a patch, its keys in order at every depth', () => {
  const template = { spec: { restartPolicy: 'Always', containers: [{ name: 'a', image: 'b' }] }, metadata: { labels: { z: '1', a: '2' } } };
  const data = templateData(template);
  expect(JSON.stringify(data)).toBe('{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"2","z":"1"}},"spec":{"containers":[{"image":"b","name":"a"}],"restartPolicy":"Always"}}}}');
  expect(templateOf({ revision: 1, data: data as object })).toEqual(template);
});
