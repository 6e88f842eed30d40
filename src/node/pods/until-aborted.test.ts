import { untilAborted } from './until-aborted.js';

test('work is waited for until it ends', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBeUndefined();
  await expect(untilAborted(Promise.reject(new Error('bad')), signal)).rejects.toThrow('bad');
});

test('work that never ends is left alone once the signal is aborted, and its failure no longer matters', async () => {
  const stop = new AbortController();
  let fail!: (error: Error) => void;
  const work = new Promise<void>((_, reject) => (fail = reject));
  const waited = untilAborted(work, stop.signal);
  stop.abort();
  await expect(waited).resolves.toBeUndefined();
  fail(new Error('late'));
  await expect(untilAborted(Promise.reject(new Error('later')), stop.signal)).resolves.toBeUndefined();
});
