import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../errors.js';
import type { Question, Reply } from './messages.js';

/** The main program of a thread: answers every question that comes. Buffers in `handOver` go to who asked without being copied. */
export function answerQuestions<Q, A>(answer: (question: Q) => { readonly answer: A; readonly handOver: readonly ArrayBuffer[] }): void {
  const port = parentPort!;
  port.on('message', ({ number, question }: Question<Q>) => {
    try {
      const result = answer(question);
      port.postMessage({ number, answer: result.answer } satisfies Reply<A>, [...result.handOver]);
    } catch (error) {
      port.postMessage({ number, failure: errorMessage(error) } satisfies Reply<A>);
    }
  });
}
