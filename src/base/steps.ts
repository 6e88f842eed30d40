/** Work that can be interrupted at each `yield`, and gives a result at its end. */
export type Steps<T> = Generator<void, T, void>;

/** Does all of the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work: with pauses when it is large, otherwise at once. */
export function run<T>(steps: Steps<T>, large: boolean): T | Promise<T> {
  return large ? inPieces(steps) : atOnce(steps);
}

/** Lets others have their turn when there is a reason to. */
export function pause(large: boolean): Promise<void> | undefined {
  return large ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

/** Does the work and lets others have their turn at each pause. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
