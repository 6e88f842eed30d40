import { atOnce } from '../../base/steps.js';
import { readAnswer } from './webhook-answer.js';

const answer = (body: string, code = 200) => readAnswer({ code, contentType: 'application/json', body: Buffer.from(body) });

test('a long answer is parsed in steps, as a short one is', () => {
  const value = { response: { patch: 'QUJD'.repeat(300_000), warnings: Array.from({ length: 100_000 }, (_, i) => `w${i}`), numbers: [1.5, 1e3] } };
  const steps = answer(JSON.stringify(value));
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(step.value).toEqual(value);
  expect(count).toBeGreaterThan(10);
});

test('a long answer that is no JSON, or nested too deeply, is refused', () => {
  const long = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => `w${i}`));
  expect(() => atOnce(answer(`{"a":${long}`))).toThrow('is no JSON, or nested more than 1000 levels deep');
  expect(() => atOnce(answer(`{"a":${long},"b":${'['.repeat(2000)}${']'.repeat(2000)}}`))).toThrow('is no JSON, or nested more than 1000 levels deep');
  expect(() => atOnce(answer(JSON.stringify({ kind: 'Status', status: 'Failure', message: 'no', details: long }), 500))).toThrow('no');
});
