/** Work that can be interrupted at each `yield`, and gives a result at its end. */
export type Steps<T> = Generator<void, T, void>;

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

/** Work that takes longer than this without a pause is long. */
const LONG_MILLISECONDS = 10;

/** Does the work: with pauses when it is large or turns out to take long, otherwise at once. */
export function run<T>(steps: Steps<T>, large: boolean): T | Promise<T> {
  if (large) return inPieces(steps);
  const began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began > LONG_MILLISECONDS) return nextTurn().then(() => inPieces(steps));
  }
}

/** Lets others have their turn when there is a reason to. */
export function pause(large: boolean): Promise<void> | undefined {
  return large ? nextTurn() : undefined;
}

/** Does the work and lets others have their turn after every `stepsPerTurn` steps; default: after each. */
export async function inPieces<T>(steps: Steps<T>, stepsPerTurn = 1): Promise<T> {
  for (let done = 1; ; done++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (done % stepsPerTurn === 0) await nextTurn();
  }
}

/** Does all small steps of a piece of work, and lets others have their turn whenever they have waited for long enough. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let began = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began <= LONG_MILLISECONDS) continue;
    await nextTurn();
    began = performance.now();
  }
}
