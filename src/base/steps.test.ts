import { afterEach, jest } from '@jest/globals';
import { atOnce, run, type Steps } from './steps.js';

function* work(log: string[]): Steps<number> {
  yield;
  log.push('first');
  yield;
  log.push('second');
  return 2;
}

/** Each look at the clock finds so much time gone by. */
function timePasses(milliseconds: number): void {
  let time = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (time += milliseconds));
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('work in steps may be done at once, however long it takes', () => {
  timePasses(20);
  const log: string[] = [];
  expect(atOnce(work(log))).toBe(2);
  expect(log).toEqual(['first', 'second']);
});

test('work that turns out to take long lets others have their turn', async () => {
  timePasses(20);
  const log: string[] = [];
  const result = run(work(log));
  setImmediate(() => {
    log.push('another');
  });
  expect(await result).toBe(2);
  expect(log).toEqual(['first', 'another', 'second']);
});

test('small steps are done until others have waited for long enough', async () => {
  timePasses(4);
  const log: string[] = [];
  expect(run(work(log))).toBe(2);
  function* four(): Steps<void> {
    yield* work(log);
    yield* work(log);
  }
  log.length = 0;
  const result = run(four());
  expect(log).toEqual(['first', 'second']);
  await result;
  expect(log).toEqual(['first', 'second', 'first', 'second']);
});

test('work may pause any number of times', async () => {
  timePasses(20);
  function* many(): Steps<string> {
    for (let i = 0; i < 1000; i++) yield;
    return 'done';
  }
  let turns = 0;
  const count = (): void => void (turns++, setImmediate(count).unref());
  setImmediate(count).unref();
  expect(await run(many())).toBe('done');
  expect(turns).toBeGreaterThanOrEqual(999);
});

test('errors come out of both', async () => {
  function* failing(): Steps<never> {
    yield;
    throw new Error('no');
  }
  timePasses(1);
  expect(() => atOnce(failing())).toThrow('no');
  expect(() => run(failing())).toThrow('no');
  timePasses(20);
  await expect(run(failing())).rejects.toThrow('no');
});
