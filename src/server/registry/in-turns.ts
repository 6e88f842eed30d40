/** Steps that are done before others get their turn: well under 10 ms. */
const STEPS_PER_TURN = 250;

/** Does all steps of a piece of work, and lets others have their turn in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (let done = 0; ; done++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (done % STEPS_PER_TURN === STEPS_PER_TURN - 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
