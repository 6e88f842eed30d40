import { atOnce, inPieces, type Steps } from './steps.js';

function* work(log: string[]): Steps<number> {
  yield;
  log.push('first');
  yield;
  log.push('second');
  return 2;
}

test('work in steps is done at once, or with a turn for others in between', async () => {
  const log: string[] = [];
  expect(atOnce(work(log))).toBe(2);
  expect(log).toEqual(['first', 'second']);
  log.length = 0;
  const result = inPieces(work(log));
  setImmediate(() => {
    log.push('another');
  });
  expect(await result).toBe(2);
  expect(log).toEqual(['first', 'another', 'second']);
});

test('errors come out of both', async () => {
  function* failing(): Steps<never> {
    yield;
    throw new Error('no');
  }
  expect(() => atOnce(failing())).toThrow('no');
  await expect(inPieces(failing())).rejects.toThrow('no');
});
