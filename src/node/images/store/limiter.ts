/** Runs work, but only so much at the same time; the rest waits in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a {@link Limiter} for at most `width` at a time. */
export function limiter(width: number): Limiter {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
