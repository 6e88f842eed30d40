import { FakeClock } from '../clock.js';
import { Thread } from './thread.js';

/** Answers with what it was asked and how often it was asked; fails, ends, hangs and eats memory when told. */
const SOURCE = `
  const { parentPort } = require('node:worker_threads');
  let count = 0;
  parentPort.on('message', ({ number, question }) => {
    count++;
    if (question === 'fail') parentPort.postMessage({ number, failure: 'told to' });
    else if (question === 'end') process.exit(3);
    else if (question === 'hang') for (;;);
    else if (question === 'eat') for (const all = []; ; ) all.push({ all: [all.length] });
    else parentPort.postMessage({ number, answer: { question, count } });
  });
`;

let thread: Thread<unknown, { question: unknown; count: number }>;
let clock: FakeClock;

beforeEach(() => {
  clock = new FakeClock();
  thread = new Thread({ source: SOURCE, clock, idleMilliseconds: 1000, longestMilliseconds: 60_000, maxMegabytes: 8 });
});

afterEach(() => thread.close());

test('questions are answered in their order; buffers are handed over', async () => {
  const bytes = Uint8Array.from([1, 2, 3]);
  const answers = await Promise.all([thread.ask('a'), thread.ask('b'), thread.ask(bytes, [bytes.buffer])]);
  expect(answers).toEqual([{ question: 'a', count: 1 }, { question: 'b', count: 2 }, { question: Uint8Array.from([1, 2, 3]), count: 3 }]);
  expect(bytes.length).toBe(0);
});

test('a thread that is idle ends, and the next question starts another', async () => {
  expect(await thread.ask('a')).toMatchObject({ count: 1 });
  await clock.advance(999);
  expect(await thread.ask('b')).toMatchObject({ count: 2 });
  await clock.advance(1000);
  expect(await thread.ask('c')).toMatchObject({ count: 1 });
});

test.each([['fail', 'told to'], ['end', 'it ended'], ['eat', expect.stringMatching(/memory/)]])('%s: what was asked is rejected, what comes next is answered', async (question, message) => {
  const failed = thread.ask(question);
  const next = thread.ask('next');
  await expect(failed).rejects.toMatchObject({ code: 'KUBE_THREAD', message: message as string });
  expect(await next).toMatchObject({ question: 'next' });
});

test('a question that takes too long is given up', async () => {
  await thread.ask('a');
  const failed = thread.ask('hang');
  const next = thread.ask('next');
  await clock.advance(60_000);
  await expect(failed).rejects.toMatchObject({ code: 'KUBE_THREAD', message: 'it took longer than 60000 ms' });
  expect(await next).toMatchObject({ question: 'next' });
});

test('after it was closed nothing is answered', async () => {
  const open = thread.ask('hang');
  const waiting = thread.ask('b');
  const rejected = Promise.all([expect(open).rejects.toMatchObject({ code: 'KUBE_THREAD' }), expect(waiting).rejects.toMatchObject({ code: 'KUBE_THREAD' })]);
  await thread.close();
  await rejected;
  await expect(thread.ask('c')).rejects.toMatchObject({ code: 'KUBE_THREAD' });
});
