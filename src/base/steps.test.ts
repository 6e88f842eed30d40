import { jest } from '@jest/globals';
import { atOnce, inPieces, inTurns, run, type Steps } from './steps.js';

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

test('work that turns out to take long lets others have their turn', async () => {
  const log: string[] = [];
  expect(run(work(log), false)).toBe(2);
  log.length = 0;
  let time = 0;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => (time += 20));
  const result = run(work(log), false);
  now.mockRestore();
  setImmediate(() => {
    log.push('another');
  });
  expect(await result).toBe(2);
  expect(log).toEqual(['first', 'another', 'second']);
});

test('small steps are done until others have waited for long enough', async () => {
  const log: string[] = [];
  let time = 0;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => (time += 4));
  expect(await inTurns(work(log))).toBe(2);
  expect(log).toEqual(['first', 'second']);
  log.length = 0;
  now.mockImplementation(() => (time += 11));
  setImmediate(() => {
    log.push('another');
  });
  expect(await inTurns(work(log))).toBe(2);
  expect(log).toEqual(['another', 'first', 'second']);
  now.mockRestore();
});

test('errors come out of both', async () => {
  function* failing(): Steps<never> {
    yield;
    throw new Error('no');
  }
  expect(() => atOnce(failing())).toThrow('no');
  await expect(inPieces(failing())).rejects.toThrow('no');
});
