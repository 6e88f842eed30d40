/** Work that can be interrupted at each `yield`, and gives a result at its end. */
export type Steps<T> = Generator<void, T, void>;

/** Loops over very many entries that each take next to nothing have a step after so many. */
export const ENTRIES_PER_STEP = 2000;

/** Lets others have their turn: resolves in the next round of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does all of the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Others have waited for long enough. */
const LONG_MILLISECONDS = 10;

/** Does the work: at once when it is short, otherwise with a turn for others after each step before which they have waited for long enough. */
export function run<T>(steps: Steps<T>): T | Promise<T> {
  const first = piece(steps);
  return first.done === true ? first.value : rest(steps);
}

async function rest<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const next = piece(steps);
    if (next.done === true) return next.value;
  }
}

/** Steps until the work is done or others have waited for long enough. */
function piece<T>(steps: Steps<T>): IteratorResult<void, T> {
  const began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() - began > LONG_MILLISECONDS) return step;
  }
}

/** Lets others have their turn when there is a reason to. */
export function pause(large: boolean): Promise<void> | undefined {
  return large ? nextTurn() : undefined;
}
